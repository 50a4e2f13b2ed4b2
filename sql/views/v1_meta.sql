create view v1_meta as
-- What the index says of itself.
select key, value -- schema_version, views_version, ccindex_version, revision
from meta
where key in ('views_version', 'ccindex_version', 'revision')
union all
select 'schema_version', version_num
from alembic_version
