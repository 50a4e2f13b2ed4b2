create view owned_entries as
-- One row per entry with an owner: its content and the position of the owner. Internal: it may change at any time.
select
    entry.id,
    entry.uuid,
    entry.occurrence,
    entry.revision,
    entry.hash,
    entry.context,
    entry.details,
    traits.type,
    traits.subtype,
    traits.kind,
    traits.form,
    traits.is_typed,
    traits.is_command,
    traits.is_sidechain,
    traits.is_meta,
    traits.is_compact_summary,
    traits.is_api_error,
    traits.is_active,
    case entry.timestamp
        when '' then strftime('%Y-%m-%dT%H:%M:%fZ', owner.timestamp_ms / 1000.0, 'unixepoch')
        else entry.timestamp
    end as timestamp,
    entry.agent_id,
    entry.named_agent_id,
    cast(iif(entry.tool_use_id = '', entry.parent_tool_use_id, entry.tool_use_id) as text) as tool_use_id,
    entry.parent_tool_use_id,
    entry.text,
    owner.source,
    owner.generation,
    owner.line_no,
    owner.offset,
    owner.length,
    owner.session,
    owner.timestamp_ms,
    owner.has_own_timestamp,
    owner.has_parent
from entries entry
join occurrences owner on owner.id = entry.occurrence and owner.entry = entry.id -- both conditions, so that either table can come first
left join entry_traits traits on traits.id = entry.traits -- every owned entry has traits; an unused left join costs nothing
