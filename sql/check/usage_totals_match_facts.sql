-- The totals of every session match its entries, responses and tool calls.
-- Sums of tokens and cost can exceed the largest integer. They are compared approximately, or not at all if capped.
with usage as (
    select
        session,
        entries,
        responses,
        priced_responses,
        1.0 * input_tokens + output_tokens + cache_creation_tokens + cache_read_tokens as tokens,
        cost_nanousd as cost,
        json_extract(spans, '$[0]') as first_ms,
        json_extract(spans, '$[#-1]') as last_ms
    from usage_totals
    union all
    select session, -1, 0, 0, 0, 0, timestamp_ms, timestamp_ms
    from occurrences
    where is_owner = 1
    union all
    select
        session, 0, -1, -(cost_nanousd is not null),
        -1.0 * input_tokens - output_tokens - cache_creation_5m_tokens - cache_creation_1h_tokens - cache_read_tokens,
        -coalesce(cost_nanousd, 0), null, null
    from responses
),
tools as (
    select
        session, name, calls, ok, errors, refused, interrupted, error_results,
        json_array_length(durations_ms) as durations, (select total(value) from json_each(t.durations_ms)) as duration_ms,
        first_timestamp_ms as first_ms, last_timestamp_ms as last_ms
    from tool_totals t
    union all
    select
        p.session, u.name, -1, -(p.outcome = 'ok'), -(p.outcome = 'error'), -(p.outcome = 'refused'),
        -(p.outcome = 'interrupted'), -coalesce(r.is_error = 1, 0), -(p.duration_ms is not null),
        -coalesce(p.duration_ms, 0), p.timestamp_ms, p.timestamp_ms
    from tool_pairs p
    join tool_uses u on u.entry = p.use and u.idx = p.use_idx
    left join tool_results r on r.entry = p.result and r.idx = p.result_idx
    where u.name is not null
)
select 'usage', session, null
from usage
group by session
having (sum(entries), sum(responses), sum(priced_responses)) <> (0, 0, 0)
    or (max(tokens) < 9e18 and abs(total(tokens)) > total(abs(tokens)) * 1e-9)
    or (max(cost) < 9e18 and abs(total(cost)) > total(abs(cost)) * 1e-9)
    or min(first_ms) filter (where entries > 0) is not min(first_ms) filter (where entries < 0)
    or max(last_ms) filter (where entries > 0) is not max(last_ms) filter (where entries < 0)
union all
select 'calls', session, name
from tools
group by session, name
having (sum(calls), sum(ok), sum(errors), sum(refused), sum(interrupted), sum(error_results), sum(durations))
    <> (0, 0, 0, 0, 0, 0, 0)
    or abs(total(duration_ms)) > 0.5
    or min(first_ms) filter (where calls > 0) is not min(first_ms) filter (where calls < 0)
    or max(last_ms) filter (where calls > 0) is not max(last_ms) filter (where calls < 0)
