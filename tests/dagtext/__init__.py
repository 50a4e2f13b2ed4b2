"""Graphs as text: what is recorded as chains of short names in, values or transcripts out; an outcome back as text.

One chain a line, each entry the child of the one before; blank lines are nothing:

    u0 -> a1[t1] -> r1[t1] -> h1      a name is said in full once; said again, it is that entry
    a1 -> a2*25@3 -> u9               and what follows an arrow takes the entry before it as its parent

The first letter is the kind: `u` prompt, `r` result, `a` assistant, `c` command, `b` compact boundary, and of kind side
`s` (system/local_command), `h` (hook), `p` (progress). Behind a name may stand, in this order and without blanks:

    *25        a run of 25, each the child of the one before: a2, a2.2 … a2.25; the rest below is for the first
    [t1 t2]    calls: issued (a), answered (r; u: beside words, so that it stays a prompt), of which a p tells.
               `t1:Task` is a Task call, `t1:Task/ann` one for the teammate ann; an r without any answers call-<name>
    @9         its time in seconds; else how many names stand before its own; members of a run are 1 ms apart
    ~          no timestamp of its own
    #          not typed: isMeta (u), a command's output (c)
    +          flagged is_active
    !k         r: it names agent k (toolUseResult); p: an agent_progress entry of agent k; a: a Task call. `!` alone: of
               an agent that has no file
    "words"    what a u says, an r holds (`agentId: k` names agent k), a Task call asks for; else all differ

    ?x -> u1                              x is in no file
    b1 ~> a9, ?y                          b1 names these to go on from: logical parent, tail, head, preserved messages
    s2: a1 -> u5                          what is new here belongs to session s2; else to s
    agent k: u7 -> a8                     ... to the file of agent k; `s2 agent k:`, of session s2
    agent k/ann: u7                       ... whose sidecar calls it ann
    agent: u7                             ... to the session's file, as a sidechain without an id (1.x)
    a1[t1:Task] => agent k: u7 -> a8      ... to the file of agent k, whose sidecar names the first call on the left

Entries stand in their files in the order in which they are first named. An outcome has these kinds of line:

    s: u0 a1 r1                     a line of the thread s, in order; runs as above, parts of one as a2.2..a2.9
    s@u2 < a1: u2 a2                a branch or another thread's line, attached at a1
    skip h1 h2: structural at a1    set aside: by time, one line a reason and fork
    rung 2 at a1                    a ruling; `rung 7 at a1 in s2`, on roots of the thread s2
    junction a1: s@u2 rewind        with all targets by time
    path active: u0..a2 (4)         root, leaf, number of entries
    root u1: orphan                 a root of a thread
    tell prompt-inlined u2          a diagnostic
    session s2: forks s at a1       how a session relates to another
    active: s s@u2                  all lines that are active
    reads: u0 a1 u2                 the reading order of all trees
    no rung                         there is none (of any kind but the first two)
"""

from .files import jsonl
from .grammar import DagTextError
from .outcome import KINDS, Line, Outcome, made_of, told
from .values import graph

__all__ = ["KINDS", "DagTextError", "Line", "Outcome", "graph", "jsonl", "made_of", "told"]
