create view v1_todos as
-- One row per item in the latest todo list of a session or a subagent.
with calls as (
    select u.entry, u.idx, u.name, u.input, u.tool_use_id, e.session, w.thread, e.timestamp_ms, s.path, e.generation, e.offset
    from tool_uses u
    join owned_entries e on e.id = u.entry
    join sources s on s.id = e.source
    join placements w on w.entry = u.entry
    where u.name in ('TodoWrite', 'TaskCreate', 'TaskUpdate') and json_valid(u.input)
),
written as (
    select
        c.*,
        row_number() over (partition by thread order by timestamp_ms desc, path desc, generation desc, offset desc, idx desc) as age
    from calls c
    where name = 'TodoWrite' and json_type(input, '$.todos') = 'array'
),
created as (
    select
        c.*,
        json_extract(d.json, '$.task.id') as task_id,
        row_number() over (
            partition by c.session, json_extract(d.json, '$.task.id')
            order by c.timestamp_ms desc, c.path desc, c.generation desc, c.offset desc, c.idx desc
        ) as age
    from calls c
    join tool_pairs p on p.tool_use_id = c.tool_use_id and p.session = c.session
    join tool_outcomes x on x.entry = p.result
    join extra_json d on d.id = x.facts
    where c.name = 'TaskCreate' and json_valid(d.json)
),
updated as (
    select
        c.session,
        cast(json_extract(c.input, '$.taskId') as text) as task_id,
        json_extract(c.input, '$.status') as status,
        json_extract(c.input, '$.subject') as subject,
        json_extract(c.input, '$.activeForm') as active_form,
        c.timestamp_ms, c.path, c.generation, c.offset, c.idx
    from calls c
    join tool_pairs p on p.tool_use_id = c.tool_use_id and p.session = c.session
    where c.name = 'TaskUpdate' and p.outcome = 'ok'
),
items as (
    select
        c.entry,
        c.session,
        c.thread,
        j.key as idx,
        cast(json_extract(j.value, '$.id') as text) as task_id,
        json_extract(j.value, '$.content') as content,
        json_extract(j.value, '$.status') as status,
        json_extract(j.value, '$.activeForm') as active_form,
        json_extract(j.value, '$.priority') as priority
    from written c
    join json_each(c.input, '$.todos') j
    where c.age = 1 and j.type = 'object'
    union all
    select
        c.entry,
        c.session,
        c.thread,
        row_number() over (partition by c.session order by cast(c.task_id as integer), c.task_id) - 1,
        cast(c.task_id as text),
        coalesce((
            select u.subject
            from updated u
            where u.session = c.session and u.task_id = c.task_id and u.subject is not null
            order by u.timestamp_ms desc, u.path desc, u.generation desc, u.offset desc, u.idx desc
            limit 1
        ), json_extract(c.input, '$.subject')),
        coalesce((
            select u.status
            from updated u
            where u.session = c.session and u.task_id = c.task_id and u.status is not null
            order by u.timestamp_ms desc, u.path desc, u.generation desc, u.offset desc, u.idx desc
            limit 1
        ), 'pending'),
        coalesce((
            select u.active_form
            from updated u
            where u.session = c.session and u.task_id = c.task_id and u.active_form is not null
            order by u.timestamp_ms desc, u.path desc, u.generation desc, u.offset desc, u.idx desc
            limit 1
        ), json_extract(c.input, '$.activeForm')),
        null
    from created c
    where c.age = 1 and c.task_id is not null
)
select
    i.session_id, -- session that the list belongs to
    t.agent_id, -- subagent that the list belongs to; NULL for the session itself
    x.idx, -- index of the item, from 0
    x.task_id, -- id of the item, if it has one
    x.content, -- text of the item
    x.status, -- pending, in_progress, completed or deleted
    x.active_form, -- text shown while the item is in progress
    x.priority, -- priority as recorded
    e.uuid, -- entry that contains the call that wrote the item
    e.timestamp -- recorded timestamp of that call
from items x
join owned_entries e on e.id = x.entry
join session_ids i on i.id = x.session
join threads t on t.id = x.thread
