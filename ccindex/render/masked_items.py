"""Mask secrets in transcript, timeline and tree items before any text is shortened.

Ids are not masked, because users pass them to other commands.
"""

from ccindex.query.timeline import TimelineBlock, TimelineEntry
from ccindex.query.titles import AgentLabel, LabelledLine
from ccindex.query.transcript import (
    ContentBlock,
    LineExit,
    LineStart,
    PairedResult,
    TaskNotice,
    TranscriptEntry,
    TranscriptItem,
)
from ccindex.secrets.masking import Mask


def mask_item(item: TranscriptItem, mask: Mask) -> TranscriptItem:
    """Return a transcript item with its text masked."""
    if isinstance(item, TranscriptEntry):
        return _mask_entry(item, mask)
    if isinstance(item, LineStart):
        return item._replace(title=mask(item.title), agent=_mask_agent(item.agent, mask))
    if isinstance(item, LineExit):
        return item._replace(title=mask(item.title), agent=_mask_agent(item.agent, mask))
    return item


def mask_timeline_entry(entry: TimelineEntry, mask: Mask) -> TimelineEntry:
    """Return a timeline entry with its text masked."""
    return entry._replace(
        type=_text(entry.type, mask),
        subtype=_text(entry.subtype, mask),
        blocks=tuple(mask_timeline_block(block, mask) for block in entry.blocks),
    )


def mask_timeline_block(block: TimelineBlock, mask: Mask) -> TimelineBlock:
    """Return a content block of a timeline entry with its text masked."""
    return block._replace(
        type=_text(block.type, mask),
        text=_text(block.text, mask),
        tool=_text(block.tool, mask),
        input=_text(block.input, mask),
    )


def mask_labelled_line(line: LabelledLine, mask: Mask) -> LabelledLine:
    """Return a tree line with its title and its subagent's text masked."""
    return line._replace(title=mask(line.title), agent=_mask_agent(line.agent, mask))


def _mask_entry(entry: TranscriptEntry, mask: Mask) -> TranscriptEntry:
    return entry._replace(
        type=_text(entry.type, mask),
        subtype=_text(entry.subtype, mask),
        model=_text(entry.model, mask),
        text=_text(entry.text, mask),
        details=_text(entry.details, mask),
        blocks=tuple(_mask_block(block, mask) for block in entry.blocks),
        agent=_mask_agent(entry.agent, mask),
        notices=tuple(_mask_notice(notice, mask) for notice in entry.notices),
    )


def _mask_block(block: ContentBlock, mask: Mask) -> ContentBlock:
    return block._replace(
        type=_text(block.type, mask),
        text=_text(block.text, mask),
        tool_name=_text(block.tool_name, mask),
        input=_text(block.input, mask),
        media_type=_text(block.media_type, mask),
        details=_text(block.details, mask),
        result=block.result and _mask_result(block.result, mask),
    )


def _mask_result(result: PairedResult, mask: Mask) -> PairedResult:
    return result._replace(
        text=_text(result.text, mask),
        media_type=_text(result.media_type, mask),
        details=_text(result.details, mask),
    )


def _mask_notice(notice: TaskNotice, mask: Mask) -> TaskNotice:
    return notice._replace(
        status=mask(notice.status),
        summary=_text(notice.summary, mask),
        result=_text(notice.result, mask),
        agent=_mask_agent(notice.agent, mask),
    )


def _mask_agent(agent: AgentLabel | None, mask: Mask) -> AgentLabel | None:
    if agent is None:
        return None
    return agent._replace(name=mask(agent.name), task=mask(agent.task), caller=_text(agent.caller, mask))


def _text(text: str | None, mask: Mask) -> str | None:
    return text and mask(text)
