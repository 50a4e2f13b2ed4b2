-- Totals add up to the entries, responses and tool calls, per session, quarter hour, agent, model and tool.
-- Tokens are as recorded: sums that exceed an integer are compared approximately.
with entry_facts as (
    select
        o.session,
        iif(o.timestamp_ms = 0, null, o.timestamp_ms / 900000 - (o.timestamp_ms < 0 and o.timestamp_ms % 900000 <> 0))
            as quarter_hour,
        t.agent_id,
        r.model,
        count(*) as entries,
        min(o.timestamp_ms) as first_at,
        max(o.timestamp_ms) as last_at
    from occurrences o
    left join placements w on w.entry = o.entry
    left join threads t on t.id = w.thread
    left join messages m on m.entry = o.entry
    left join responses r on r.response_id = m.response_id
    where o.is_owner = 1
    group by 1, 2, 3, 4
),
response_facts as (
    select
        r.session,
        iif(r.timestamp_ms = 0, null, r.timestamp_ms / 900000 - (r.timestamp_ms < 0 and r.timestamp_ms % 900000 <> 0))
            as quarter_hour,
        iif(m.is_wrapped, e.named_agent_id, t.agent_id) as agent_id,
        r.model,
        count(*) as responses,
        count(r.cost) as priced,
        total(r.input_tokens) as input_tokens,
        total(r.output_tokens) as output_tokens,
        total(r.cache_creation_5m_tokens) + total(r.cache_creation_1h_tokens) as cache_creation_tokens,
        total(r.cache_read_tokens) as cache_read_tokens,
        total(r.cost) as cost
    from responses r
    join entries e on e.id = r.entry
    join messages m on m.entry = r.entry
    left join placements w on w.entry = r.entry
    left join threads t on t.id = w.thread
    group by 1, 2, 3, 4
),
call_facts as (
    select
        p.session,
        iif(p.timestamp_ms = 0, null, p.timestamp_ms / 900000 - (p.timestamp_ms < 0 and p.timestamp_ms % 900000 <> 0))
            as quarter_hour,
        t.agent_id,
        q.model,
        u.name,
        count(*) as calls,
        sum(p.outcome = 'ok') as ok,
        sum(p.outcome = 'error') as errors,
        sum(p.outcome = 'refused') as refused,
        sum(p.outcome = 'interrupted') as interrupted,
        coalesce(sum(r.is_error = 1), 0) as flagged,
        count(p.duration_ms) as durations,
        total(p.duration_ms) as duration_ms,
        min(p.timestamp_ms) as first_at,
        max(p.timestamp_ms) as last_at
    from tool_pairs p
    join tool_uses u on u.entry = p.use and u.idx = p.use_idx
    left join tool_results r on r.entry = p.result and r.idx = p.result_idx
    left join messages m on m.entry = p.use
    left join responses q on q.response_id = m.response_id
    left join placements w on w.entry = p.use
    left join threads t on t.id = w.thread
    where u.name is not null
    group by 1, 2, 3, 4, 5
),
tools as (
    select
        u.*,
        (select count(*) from json_each(u.durations)) as duration_count,
        (select total(value) from json_each(u.durations)) as duration_ms
    from tool_totals u
)
select 'entries', f.session, f.quarter_hour
from entry_facts f
left join usage_totals u on u.session = f.session
    and u.quarter_hour is f.quarter_hour
    and u.agent_id is f.agent_id
    and u.model is f.model
where u.entries is not f.entries
    or u.spans not glob '[[]' || f.first_at || ',*'
    or u.spans not glob '*,' || f.last_at || ']'
union all
select 'responses', f.session, f.quarter_hour
from response_facts f
left join usage_totals u on u.session = f.session
    and u.quarter_hour is f.quarter_hour
    and u.agent_id is f.agent_id
    and u.model is f.model
where u.responses is not f.responses
    or u.priced <> f.priced
    or abs(u.input_tokens - min(f.input_tokens, 9223372036854775807)) > f.input_tokens * 1e-9
    or abs(u.output_tokens - min(f.output_tokens, 9223372036854775807)) > f.output_tokens * 1e-9
    or abs(u.cache_creation_tokens - min(f.cache_creation_tokens, 9223372036854775807)) > f.cache_creation_tokens * 1e-9
    or abs(u.cache_read_tokens - min(f.cache_read_tokens, 9223372036854775807)) > f.cache_read_tokens * 1e-9
    or abs(u.cost_nanousd - min(f.cost, 9223372036854775807)) > f.cost * 1e-9
union all
select 'calls', f.session, f.quarter_hour
from call_facts f
left join tools u on u.session = f.session
    and u.quarter_hour is f.quarter_hour
    and u.agent_id is f.agent_id
    and u.model is f.model
    and u.name = f.name
where (u.calls, u.ok, u.errors, u.refused, u.interrupted, u.flagged, u.first_at, u.last_at, u.duration_count)
    is not (f.calls, f.ok, f.errors, f.refused, f.interrupted, f.flagged, f.first_at, f.last_at, f.durations)
    or abs(u.duration_ms - f.duration_ms) > 0.5
union all
select 'no facts', u.session, u.quarter_hour
from usage_totals u
left join entry_facts e on e.session = u.session
    and e.quarter_hour is u.quarter_hour
    and e.agent_id is u.agent_id
    and e.model is u.model
left join response_facts r on r.session = u.session
    and r.quarter_hour is u.quarter_hour
    and r.agent_id is u.agent_id
    and r.model is u.model
where u.entries <> coalesce(e.entries, 0) or u.responses <> coalesce(r.responses, 0) or u.entries + u.responses = 0
union all
select 'no calls', u.session, u.quarter_hour
from tool_totals u
left join call_facts f on f.session = u.session
    and f.quarter_hour is u.quarter_hour
    and f.agent_id is u.agent_id
    and f.model is u.model
    and f.name = u.name
where f.session is null
union all
select 'twice', session, quarter_hour
from usage_totals
group by session, quarter_hour, agent_id, model
having count(*) > 1
union all
select 'twice', session, quarter_hour
from tool_totals
group by session, quarter_hour, agent_id, model, name
having count(*) > 1
