"""A text notation for small graphs and their outcomes. It can be converted to graph values or to transcripts.

Every line is a chain in which each entry is the child of the previous one. Blank lines are ignored:

    u0 -> a1[t1] -> r1[t1] -> h1      an entry is declared once; after that, the bare name refers to it
    a1 -> a2*25@3 -> u9               starts at an existing entry: a2 is another child of a1

The first letter is the kind:

    u prompt      a assistant      r tool result      b compact boundary
    c command (a prompt)           n caveat that Claude Code writes before commands (an isMeta prompt)
    h hook, p progress, s system/local_command, q prompt that a person queued (all of kind side)

These suffixes may follow a name, in this order and without spaces:

    *25        a run of 25 entries, each the child of the previous one: a2, a2.2 ... a2.25; other suffixes apply to the
               first entry
    [t1 t2]    tool calls: a makes them, r answers them, p reports on them; u answers them but also has text and is
               therefore a prompt. `t1:Task` is a Task call, `t1:Task/ann` a Task call for the teammate ann. An r
               without calls answers call-<name>
    =m1        a: the response (message.id) that the entry belongs to. By default, every entry is a separate response
    @9         the time in seconds. The default is the number of names declared before this one, with a run counted as
               one name. Members of a run are 1 ms apart
    ~          no timestamp
    #          u: isMeta, not typed. c: the output of a command. a: synthetic
    $          u: the summary of a compaction (isCompactSummary)
    +          flagged is_active
    !k         r: the result of agent k (toolUseResult). p: an agent_progress entry of agent k. a: a Task call. `!`
               alone: an agent without a file
    "text"     the text of a u, c or a, the content of an r (`agentId: k` mentions agent k), the prompt of a Task call.
               By default, all texts differ. An a with "" has no text; without calls it is a thinking block. A ' is
               converted to a double quote

Other lines:

    ?x -> u1                              x is in no file
    b1 ~> a9, ?y                          the logical parent, preserved tail, head and messages (last first) of b1
    s2: a1 -> u5                          new entries belong to session s2; without a prefix, to session s
    agent k: u7 -> a8                     new entries belong to the file of agent k; `s2 agent k:` in session s2
    agent k/ann: u7                       the sidecar of agent k has the name ann
    agent: u7                             new entries are sidechain entries in the session's file, without an id (1.x)
    a1[t1:Task] => agent k: u7 -> a8      the sidecar of agent k refers to the first call of a1
    agent j: copy u7 a8                   the file of agent j contains copies of these entries of agent k, whose file
                                          must contain more entries
    leaf a8                               a `last-prompt` record with the leaf a8 and without a timestamp
    agent k: context a1                   a `fork-context-ref` record in the file of agent k that refers to a1

Files contain entries and records in the order of the text. An outcome has these kinds of lines:

    s: u0 a1 r1                     the line of thread s, in order; runs as above, part of a run as a2.2..a2.9
    s@u2 < a1: u2 a2                a branch, or the line of another thread, attached to a1
    aside h1 h2: structural at a1   entries set aside, in time order, with the reason and the fork
    rung 2 at a1                    a ruling; `rung 2 at a1 in s2` rules on roots of thread s2
    rung 7 at a1: retry             the last rung, with its verdict: rewind or retry
    junction a1: s@u2 rewind        all targets in time order, with their kinds
    path active: u0..a2 (4)         root, leaf, number of entries
    root u1: orphan                 a root of a thread, with its kind
    diagnostic prompt-inlined u2    a diagnostic about an entry
    session s2: forks s at a1       the relation of a session to another
    active: s s@u2                  all active lines
    reads: u0 a1 u2                 the reading order of all trees
    no rung                         no rulings; every kind except the first three can be negated in this way
"""

from .files import jsonl
from .grammar import DagTextError
from .outcome import KINDS, Line, Outcome, collect_outcome, format_outcome
from .values import graph

__all__ = ["KINDS", "DagTextError", "Line", "Outcome", "collect_outcome", "format_outcome", "graph", "jsonl"]
