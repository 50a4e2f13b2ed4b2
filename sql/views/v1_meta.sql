create view v1_meta as
-- One row per property of the index.
select
    key, -- schema_version, views_version, ccindex_version or revision
    value -- value of the property
from meta
where key in ('views_version', 'ccindex_version', 'revision')
union all
select 'schema_version', version_num
from alembic_version
