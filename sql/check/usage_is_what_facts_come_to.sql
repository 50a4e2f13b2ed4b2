-- Per session, totals add up to the entries, responses and tool calls, and no cell has two rows.
-- Tokens are as recorded: sums that exceed an integer are compared approximately.
with entry_facts as (
    select session, count(*) as entries
    from occurrences
    where is_owner = 1
    group by session
),
response_facts as (
    select
        session,
        count(*) as responses,
        count(cost) as priced,
        total(input_tokens) as input_tokens,
        total(output_tokens) as output_tokens,
        total(cache_creation_5m_tokens) + total(cache_creation_1h_tokens) as cache_creation_tokens,
        total(cache_read_tokens) as cache_read_tokens,
        total(cost) as cost
    from responses
    group by session
),
usage as (
    select
        session,
        sum(entries) as entries,
        sum(responses) as responses,
        sum(priced) as priced,
        total(input_tokens) as input_tokens,
        total(output_tokens) as output_tokens,
        total(cache_creation_tokens) as cache_creation_tokens,
        total(cache_read_tokens) as cache_read_tokens,
        total(cost_nanousd) as cost
    from usage_totals
    group by session
),
call_facts as (
    select
        p.session,
        u.name,
        count(*) as calls,
        sum(p.outcome = 'ok') as ok,
        sum(p.outcome = 'error') as errors,
        sum(p.outcome = 'refused') as refused,
        sum(p.outcome = 'interrupted') as interrupted,
        coalesce(sum(r.is_error = 1), 0) as flagged,
        min(p.timestamp_ms) as first_at,
        max(p.timestamp_ms) as last_at
    from tool_pairs p
    join tool_uses u on u.entry = p.use and u.idx = p.use_idx
    left join tool_results r on r.entry = p.result and r.idx = p.result_idx
    where u.name is not null
    group by p.session, u.name
),
tools as (
    select
        session,
        name,
        sum(calls) as calls,
        sum(ok) as ok,
        sum(errors) as errors,
        sum(refused) as refused,
        sum(interrupted) as interrupted,
        sum(flagged) as flagged,
        min(first_at) as first_at,
        max(last_at) as last_at
    from tool_totals
    group by session, name
)
select 'entries', f.session
from entry_facts f
left join usage u on u.session = f.session
where u.entries is not f.entries
union all
select 'responses', f.session
from response_facts f
left join usage u on u.session = f.session
where u.responses is not f.responses
    or u.priced <> f.priced
    or abs(u.input_tokens - min(f.input_tokens, 9223372036854775807)) > f.input_tokens * 1e-9
    or abs(u.output_tokens - min(f.output_tokens, 9223372036854775807)) > f.output_tokens * 1e-9
    or abs(u.cache_creation_tokens - min(f.cache_creation_tokens, 9223372036854775807)) > f.cache_creation_tokens * 1e-9
    or abs(u.cache_read_tokens - min(f.cache_read_tokens, 9223372036854775807)) > f.cache_read_tokens * 1e-9
    or abs(u.cost - min(f.cost, 9223372036854775807)) > f.cost * 1e-9
union all
select 'calls', f.session
from call_facts f
left join tools u on u.session = f.session and u.name = f.name
where (u.calls, u.ok, u.errors, u.refused, u.interrupted, u.flagged, u.first_at, u.last_at)
    is not (f.calls, f.ok, f.errors, f.refused, f.interrupted, f.flagged, f.first_at, f.last_at)
union all
select 'no facts', u.session
from usage u
left join entry_facts e on e.session = u.session
left join response_facts r on r.session = u.session
where u.entries <> coalesce(e.entries, 0) or u.responses <> coalesce(r.responses, 0)
union all
select 'no calls', u.session
from tools u
left join call_facts f on f.session = u.session and f.name = u.name
where f.session is null
union all
select 'twice', session
from usage_totals
group by session, quarter_hour, agent_id, model
having count(*) > 1
union all
select 'twice', session
from tool_totals
group by session, quarter_hour, agent_id, model, name
having count(*) > 1
