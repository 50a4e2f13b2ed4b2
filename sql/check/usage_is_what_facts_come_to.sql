-- What was counted of entries, responses and calls, session by session, is what they come to.
with entry_facts as (
    select
        o.session,
        iif(o.timestamp_ms = 0, null, o.timestamp_ms / 86400000 - (o.timestamp_ms < 0 and o.timestamp_ms % 86400000 <> 0)) as day,
        t.agent_id,
        r.model,
        o.timestamp_ms
    from occurrences o
    left join placements w on w.entry = o.entry
    left join threads t on t.id = w.thread
    left join messages m on m.entry = o.entry
    left join responses r on r.response_id = m.response_id
    where o.is_owner = 1
),
gaps as (
    select f.*, coalesce(timestamp_ms - lag(timestamp_ms) over cell > 600000, 1) as is_first
    from entry_facts f
    window cell as (partition by session, day, agent_id, model order by timestamp_ms)
),
numbered as (
    select g.*, sum(is_first) over (partition by session, day, agent_id, model order by timestamp_ms rows unbounded preceding) as span
    from gaps g
),
spans as (
    select session, day, agent_id, model, span, min(timestamp_ms) as first_at, max(timestamp_ms) as last_at, count(*) as entries
    from numbered
    group by session, day, agent_id, model, span
),
worked as (
    select
        session,
        day,
        agent_id,
        model,
        sum(entries) as entries,
        group_concat(first_at || ',' || last_at) as spans
    from (select s.* from spans s order by session, day, agent_id, model, span)
    group by session, day, agent_id, model
),
response_facts as (
    select
        r.session,
        iif(r.timestamp_ms = 0, null, r.timestamp_ms / 86400000 - (r.timestamp_ms < 0 and r.timestamp_ms % 86400000 <> 0)) as day,
        iif(m.is_wrapped, e.named_agent_id, t.agent_id) as agent_id,
        r.model,
        r.input_tokens,
        r.output_tokens,
        total(r.cache_creation_5m_tokens) + total(r.cache_creation_1h_tokens) as written,
        r.cache_read_tokens,
        r.cost
    from responses r
    join entries e on e.id = r.entry
    join messages m on m.entry = r.entry
    left join placements w on w.entry = r.entry
    left join threads t on t.id = w.thread
    group by r.response_id
),
took as (
    select
        session,
        day,
        agent_id,
        model,
        count(*) as responses,
        count(cost) as priced,
        total(input_tokens) as input_tokens,
        total(output_tokens) as output_tokens,
        total(written) as cache_creation_tokens,
        total(cache_read_tokens) as cache_read_tokens,
        total(cost) as cost
    from response_facts
    group by session, day, agent_id, model
),
call_facts as (
    select
        p.session,
        iif(a.timestamp_ms = 0, null, a.timestamp_ms / 86400000 - (a.timestamp_ms < 0 and a.timestamp_ms % 86400000 <> 0)) as day,
        t.agent_id,
        q.model,
        u.name,
        a.timestamp_ms,
        p.result,
        coalesce(r.is_error, 0) = 1 as is_error,
        coalesce(e.form = 'rejection', 0) as is_rejected,
        coalesce(e.form in ('rejection', 'interrupt'), 0) as is_refused,
        (select o.timestamp_ms from owned_entries o where o.id = p.result) - a.timestamp_ms as duration_ms
    from tool_pairs p
    join tool_uses u on u.entry = p.use and u.idx = p.use_idx
    join owned_entries a on a.id = p.use
    left join entries e on e.id = p.result
    left join tool_results r on r.entry = p.result and r.idx = p.result_idx
    left join messages m on m.entry = p.use
    left join responses q on q.response_id = m.response_id
    left join placements w on w.entry = p.use
    left join threads t on t.id = w.thread
    where u.name is not null
),
called as (
    select
        session,
        day,
        agent_id,
        model,
        name,
        count(*) as calls,
        count(result) as answered,
        sum(is_error and result is not null) as failed,
        sum(is_refused) as refused,
        sum(is_rejected) as rejections,
        sum(is_error and result is not null and not is_refused) as errors,
        coalesce(group_concat(duration_ms), '') as durations,
        min(timestamp_ms) as first_at,
        max(timestamp_ms) as last_at
    from (select f.* from call_facts f order by duration_ms)
    group by session, day, agent_id, model, name
)
select 'entries', w.session, w.day
from worked w
left join usage_totals u on u.session = w.session and u.day is w.day and u.agent_id is w.agent_id and u.model is w.model
where u.entries is not w.entries or u.spans is not w.spans
union all
select 'responses', k.session, k.day
from took k
left join usage_totals u on u.session = k.session and u.day is k.day and u.agent_id is k.agent_id and u.model is k.model
where u.responses is not k.responses
    or u.priced <> k.priced
    -- tokens are whatever was recorded: sums beyond what integers hold are near enough
    or abs(u.input_tokens - min(k.input_tokens, 9223372036854775807)) > k.input_tokens * 1e-9
    or abs(u.output_tokens - min(k.output_tokens, 9223372036854775807)) > k.output_tokens * 1e-9
    or abs(u.cache_creation_tokens - min(k.cache_creation_tokens, 9223372036854775807)) > k.cache_creation_tokens * 1e-9
    or abs(u.cache_read_tokens - min(k.cache_read_tokens, 9223372036854775807)) > k.cache_read_tokens * 1e-9
    or abs(u.dollars * 1e9 + u.billionths - k.cost) > k.cost * 1e-9
union all
select 'calls', k.session, k.day
from called k
left join tool_totals u on u.session = k.session
    and u.day is k.day
    and u.agent_id is k.agent_id
    and u.model is k.model
    and u.name = k.name
where (u.calls, u.answered, u.failed, u.refused, u.rejections, u.errors, u.durations, u.first_at, u.last_at)
    is not (k.calls, k.answered, k.failed, k.refused, k.rejections, k.errors, k.durations, k.first_at, k.last_at)
union all
select 'nothing', u.session, u.day
from usage_totals u
left join worked w on w.session = u.session and w.day is u.day and w.agent_id is u.agent_id and w.model is u.model
left join took k on k.session = u.session and k.day is u.day and k.agent_id is u.agent_id and k.model is u.model
where u.entries <> coalesce(w.entries, 0) or u.responses <> coalesce(k.responses, 0) or u.entries + u.responses = 0
union all
select 'no calls', u.session, u.day
from tool_totals u
left join called k on k.session = u.session
    and k.day is u.day
    and k.agent_id is u.agent_id
    and k.model is u.model
    and k.name = u.name
where k.session is null
union all
select 'twice', u.session, u.day
from usage_totals u
group by u.session, u.day, u.agent_id, u.model
having count(*) > 1
union all
select 'called twice', u.session, u.day
from tool_totals u
group by u.session, u.day, u.agent_id, u.model, u.name
having count(*) > 1
