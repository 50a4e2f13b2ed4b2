BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE blocks (
	id INTEGER NOT NULL, 
	entry INTEGER NOT NULL, 
	idx INTEGER NOT NULL, 
	type TEXT, 
	text TEXT, 
	byte_size INTEGER NOT NULL, 
	media_type TEXT, 
	details TEXT, 
	CONSTRAINT pk_blocks PRIMARY KEY (id), 
	CONSTRAINT fk_blocks_entry FOREIGN KEY(entry) REFERENCES entries (id)
)
 STRICT

;
INSERT INTO "blocks" VALUES(1,1,0,'text','say u1',6,NULL,NULL);
INSERT INTO "blocks" VALUES(2,2,0,'tool_use',NULL,17,NULL,NULL);
INSERT INTO "blocks" VALUES(3,3,0,'tool_result','done
agentId: k (for resuming)',30,NULL,NULL);
INSERT INTO "blocks" VALUES(4,4,0,'text','say u2',6,NULL,NULL);
INSERT INTO "blocks" VALUES(5,5,0,'text','say u3',6,NULL,NULL);
INSERT INTO "blocks" VALUES(6,6,0,'text','say g1',6,NULL,NULL);
INSERT INTO "blocks" VALUES(7,7,0,'text','say v1',6,NULL,NULL);
INSERT INTO "blocks" VALUES(8,8,0,'text','say w1',6,NULL,NULL);
CREATE TABLE chunks (
	id INTEGER NOT NULL, 
	hash BLOB NOT NULL, 
	raw_size INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	CONSTRAINT pk_chunks PRIMARY KEY (id), 
	CONSTRAINT uq_chunks_hash UNIQUE (hash)
)
 STRICT

;
INSERT INTO "chunks" VALUES(1,X'ED5DF8302C3151717EB4B536A995A88E',1320,X'28B52FFD6428041D0B00D6D0352230ABD401405C4EDC64957970888CAA7A3E638FFA223F8B6DA9497D4E1E2C2C1038012A002D002C00DB389B5836318016318DE1775BF095E16EFDF76B22188BEE80DE8F99A3568C9A087DFD5133693314A895147EE80DDD41987B5A91F07FB75DA4388AD70B0C020C104D443FE34826F5C50A9056ABE097C1EE2A76D36E5A04ED4EE983C5EFB778094DA313E79832CD3D462B91F135796E3476D81F1FCC397870183AC35FFF7C681A3D310387461747849B35B4F2958AB97402CD4479DC5AFC05BD25A2F350D40089AF96CF450072924931A0B7841D213920A022A1A1B30D0C8534EFA17C2E9FED5E66AE3B9570DEF370C1488C7CCEE629CBA7908763D8E580D05DD800067E334F01C02E250989527A13A3C70CDC3B0442820BBAE3871121084148BC71BB5C30E86AB9FBE67336DB3D6298EEC7B0CF80DE15C34FD717D52D63D3E91647E18A6AE080B80D18E6811E4CB7B8CB924AD21A857A9E0D0A662E2306C99563F4');
INSERT INTO "chunks" VALUES(2,X'5F5EE21B8E4F3583F7C6F7C16D63D96F',233,X'28B52FFD24E9750500920A221F5049AC03017A4D046F46D051BBC4016C324054471E8E5414069CC8CCE7420D00872B3CD599D16FDB7A9EC351CB6671BFEDA71C88026F48F56D8B7993E7B96A2A5091E02E30018C399E6723EC547F6E251CCB5C013B04552D922A5545A006480901250692A62559CD9BB8E61B4F71CCCBCF8320F11DF45BB816D4988BF1790E97E3537D97A66F080D00550363CDDCD0840D718CA202B335065308DC5548A5AEB569EBCDD931039B60360134AA173B');
INSERT INTO "chunks" VALUES(3,X'F382B553269E057AC193C453C7DDB7E1',439,X'28B52FFD64B700950500D209201D60B57AD02E22993FD9E5474B879EA7B1C9203A42EC8DF61C910C28040F44ADBBE87A8F8B42895A773D0972FEB01F46848972A3D4B615E7DE0D33534B31D90F0D506453D1CEB880D4163EB7209DBC823F006656CC8DB90DD8C0D838D81030664EE3DEBB79CF9C00E3736F3FE6E1614BE7AC2779736E2A56B6CF4D6DDB817EA313000A5231B0391512D635D6ABB286CD5CE52A96268288634060ECB8C1140C0393C09ACD8E60B59BBE632E36EB6C02AE7D8018');
CREATE TABLE contexts (
	id INTEGER NOT NULL, 
	cwd TEXT, 
	git_branch TEXT, 
	version TEXT, 
	user_type TEXT, 
	entrypoint TEXT, 
	slug TEXT, 
	team_name TEXT, 
	CONSTRAINT pk_contexts PRIMARY KEY (id)
)
 STRICT

;
INSERT INTO "contexts" VALUES(3661428392202884756,'/w',NULL,'2.1.200',NULL,NULL,NULL,NULL);
CREATE TABLE details (
	id INTEGER NOT NULL, 
	json TEXT NOT NULL, 
	CONSTRAINT pk_details PRIMARY KEY (id)
)
 STRICT

;
CREATE TABLE diagnostics (
	id INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	severity TEXT NOT NULL, 
	source INTEGER, 
	path TEXT, 
	generation INTEGER, 
	session_id TEXT, 
	line_no INTEGER, 
	"offset" INTEGER, 
	detail TEXT, 
	CONSTRAINT pk_diagnostics PRIMARY KEY (id), 
	CONSTRAINT ck_diagnostics_ck_diagnostics_severity CHECK (severity in ('info', 'warning', 'error')), 
	CONSTRAINT fk_diagnostics_source FOREIGN KEY(source) REFERENCES sources (id)
)
 STRICT

;
CREATE TABLE drift (
	id INTEGER NOT NULL, 
	source INTEGER NOT NULL, 
	generation INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	name TEXT NOT NULL, 
	type TEXT NOT NULL, 
	version TEXT NOT NULL, 
	count INTEGER NOT NULL, 
	line_no INTEGER NOT NULL, 
	"offset" INTEGER NOT NULL, 
	CONSTRAINT pk_drift PRIMARY KEY (id), 
	CONSTRAINT fk_drift_source FOREIGN KEY(source) REFERENCES sources (id)
)
 STRICT

;
CREATE TABLE edges (
	child INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	parent INTEGER NOT NULL, 
	CONSTRAINT pk_edges PRIMARY KEY (child, kind), 
	CONSTRAINT ck_edges_ck_edges_kind CHECK (kind in ('parent', 'logical', 'forked_from')), 
	CONSTRAINT fk_edges_child FOREIGN KEY(child) REFERENCES entries (id), 
	CONSTRAINT fk_edges_parent FOREIGN KEY(parent) REFERENCES entries (id)
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "edges" VALUES(2,'parent',1);
INSERT INTO "edges" VALUES(3,'parent',2);
INSERT INTO "edges" VALUES(4,'parent',3);
INSERT INTO "edges" VALUES(5,'parent',3);
INSERT INTO "edges" VALUES(7,'parent',5);
INSERT INTO "edges" VALUES(8,'parent',9);
CREATE TABLE entries (
	id INTEGER NOT NULL, 
	uuid TEXT NOT NULL, 
	occurrence INTEGER, 
	hash INTEGER, 
	context INTEGER, 
	details INTEGER, 
	type TEXT, 
	subtype TEXT, 
	kind TEXT, 
	is_typed INTEGER NOT NULL, 
	is_command INTEGER NOT NULL, 
	is_sidechain INTEGER NOT NULL, 
	is_meta INTEGER NOT NULL, 
	is_compact_summary INTEGER NOT NULL, 
	is_api_error INTEGER NOT NULL, 
	is_active INTEGER, 
	timestamp TEXT, 
	agent_id TEXT, 
	named_agent_id TEXT, 
	tool_use_id TEXT, 
	parent_tool_use_id TEXT, 
	source_assistant_uuid TEXT, 
	text TEXT, 
	revision INTEGER NOT NULL, 
	CONSTRAINT pk_entries PRIMARY KEY (id), 
	CONSTRAINT ck_entries_ck_entries_kind CHECK (kind in ('assistant', 'result', 'prompt', 'boundary', 'side')), 
	CONSTRAINT ck_entries_ck_entries_known CHECK (occurrence is null or kind is not null), 
	CONSTRAINT fk_entries_context FOREIGN KEY(context) REFERENCES contexts (id), 
	CONSTRAINT fk_entries_details FOREIGN KEY(details) REFERENCES details (id), 
	CONSTRAINT uq_entries_uuid UNIQUE (uuid)
)
 STRICT

;
INSERT INTO "entries" VALUES(1,'u1',1,810435724033482794,3661428392202884756,NULL,'user',NULL,'prompt',1,0,0,0,0,0,NULL,'2026-03-01T09:00:00.000Z',NULL,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO "entries" VALUES(2,'a1',2,-2441726118182250779,3661428392202884756,NULL,'assistant',NULL,'assistant',0,0,0,0,0,0,NULL,'2026-03-01T09:00:01.000Z',NULL,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO "entries" VALUES(3,'r1',3,-4496897102755940086,3661428392202884756,NULL,'user',NULL,'result',0,0,0,0,0,0,NULL,'2026-03-01T09:00:09.000Z',NULL,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO "entries" VALUES(4,'u2',4,-7297372517528569752,3661428392202884756,NULL,'user',NULL,'prompt',1,0,0,0,0,0,NULL,'2026-03-01T09:01:00.000Z',NULL,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO "entries" VALUES(5,'u3',5,3093473106371806315,3661428392202884756,NULL,'user',NULL,'prompt',1,0,0,0,0,0,NULL,'2026-03-01T09:02:00.000Z',NULL,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO "entries" VALUES(6,'g1',7,-3706926644015222029,3661428392202884756,NULL,'user',NULL,'prompt',1,0,1,0,0,0,NULL,'2026-03-01T09:00:02.000Z','k',NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO "entries" VALUES(7,'v1',8,982726489457784162,3661428392202884756,NULL,'user',NULL,'prompt',1,0,0,0,0,0,NULL,'2026-03-02T09:00:00.000Z',NULL,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO "entries" VALUES(8,'w1',9,2759228356261758724,3661428392202884756,NULL,'user',NULL,'prompt',1,0,0,0,0,0,NULL,'2026-03-02T09:00:01.000Z',NULL,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO "entries" VALUES(9,'ghost',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
CREATE TABLE extents (
	source INTEGER NOT NULL, 
	generation INTEGER NOT NULL, 
	start INTEGER NOT NULL, 
	length INTEGER NOT NULL, 
	chunk INTEGER NOT NULL, 
	CONSTRAINT pk_extents PRIMARY KEY (source, generation, start), 
	CONSTRAINT fk_extents_chunk FOREIGN KEY(chunk) REFERENCES chunks (id), 
	CONSTRAINT fk_extents_source FOREIGN KEY(source) REFERENCES sources (id)
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "extents" VALUES(1,1,0,1320,1);
INSERT INTO "extents" VALUES(2,1,0,233,2);
INSERT INTO "extents" VALUES(3,1,0,439,3);
CREATE TABLE generations (
	source INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	device INTEGER NOT NULL, 
	inode INTEGER NOT NULL, 
	size INTEGER NOT NULL, 
	mtime_ns INTEGER NOT NULL, 
	archived INTEGER NOT NULL, 
	"offset" INTEGER NOT NULL, 
	line_no INTEGER NOT NULL, 
	line_objects INTEGER NOT NULL, 
	malformed INTEGER NOT NULL, 
	saw_crlf INTEGER NOT NULL, 
	is_torn INTEGER NOT NULL, 
	last_at INTEGER, 
	last_session TEXT, 
	head_hash INTEGER NOT NULL, 
	tail_hash INTEGER NOT NULL, 
	last_indexed_at TEXT NOT NULL, 
	CONSTRAINT pk_generations PRIMARY KEY (source, number), 
	CONSTRAINT fk_generations_source FOREIGN KEY(source) REFERENCES sources (id)
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "generations" VALUES(1,1,65024,2516161,1320,1794815937885624049,1320,1320,7,0,0,0,0,1772355720000,'s1',9130121590964856974,9130121590964856974,'2026-11-16T07:58:58.369Z');
INSERT INTO "generations" VALUES(2,1,65024,2516209,233,1794815937886163108,233,233,2,0,0,0,0,1772355602000,'s1',-4866148541716563936,-4866148541716563936,'2026-11-16T07:58:58.369Z');
INSERT INTO "generations" VALUES(3,1,65024,2516257,439,1794815937886370335,439,439,3,0,0,0,0,1772442001000,'s2',-4498035738698467359,-4498035738698467359,'2026-11-16T07:58:58.370Z');
CREATE TABLE messages (
	entry INTEGER NOT NULL, 
	is_wrapped INTEGER NOT NULL, 
	message_id TEXT, 
	request_id TEXT, 
	model TEXT, 
	stop_reason TEXT, 
	timestamp TEXT, 
	input_tokens INTEGER, 
	output_tokens INTEGER, 
	cache_creation_tokens INTEGER, 
	cache_creation_5m_tokens INTEGER, 
	cache_creation_1h_tokens INTEGER, 
	cache_read_tokens INTEGER, 
	web_search_requests INTEGER, 
	web_fetch_requests INTEGER, 
	service_tier TEXT, 
	CONSTRAINT pk_messages PRIMARY KEY (entry), 
	CONSTRAINT fk_messages_entry FOREIGN KEY(entry) REFERENCES entries (id)
)
 STRICT

;
INSERT INTO "messages" VALUES(2,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE meta (
	"key" TEXT NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_meta PRIMARY KEY ("key")
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "meta" VALUES('ccindex_version','0.1.0');
INSERT INTO "meta" VALUES('decode_version','1');
INSERT INTO "meta" VALUES('revision','1');
INSERT INTO "meta" VALUES('views_digest','2e2e4e277bfe5f5778cd761c4395a238');
INSERT INTO "meta" VALUES('views_version','1');
CREATE TABLE occurrences (
	id INTEGER NOT NULL, 
	source INTEGER NOT NULL, 
	generation INTEGER NOT NULL, 
	line_no INTEGER NOT NULL, 
	"offset" INTEGER NOT NULL, 
	length INTEGER NOT NULL, 
	hash INTEGER NOT NULL, 
	entry INTEGER, 
	session INTEGER NOT NULL, 
	type TEXT, 
	at INTEGER NOT NULL, 
	is_stamped INTEGER NOT NULL, 
	has_parent INTEGER NOT NULL, 
	is_current INTEGER NOT NULL, 
	is_owner INTEGER NOT NULL, 
	is_copy INTEGER NOT NULL, 
	CONSTRAINT pk_occurrences PRIMARY KEY (id), 
	CONSTRAINT fk_occurrences_entry FOREIGN KEY(entry) REFERENCES entries (id), 
	CONSTRAINT fk_occurrences_session FOREIGN KEY(session) REFERENCES session_ids (id), 
	CONSTRAINT fk_occurrences_source FOREIGN KEY(source) REFERENCES sources (id)
)
 STRICT

;
INSERT INTO "occurrences" VALUES(1,1,1,1,0,217,810435724033482794,1,1,'user',1772355600000,1,0,1,1,0);
INSERT INTO "occurrences" VALUES(2,1,1,2,218,298,-2441726118182250779,2,1,'assistant',1772355601000,1,1,1,1,0);
INSERT INTO "occurrences" VALUES(3,1,1,3,517,301,-4496897102755940086,3,1,'user',1772355609000,1,1,1,1,0);
INSERT INTO "occurrences" VALUES(4,1,1,4,819,217,-7297372517528569752,4,1,'user',1772355660000,1,1,1,1,0);
INSERT INTO "occurrences" VALUES(5,1,1,5,1037,217,3093473106371806315,5,1,'user',1772355720000,1,1,1,1,0);
INSERT INTO "occurrences" VALUES(6,1,1,6,1255,64,7981086988806905222,NULL,1,'summary',1772355720000,0,0,1,0,0);
INSERT INTO "occurrences" VALUES(7,2,1,1,0,232,-3706926644015222029,6,1,'user',1772355602000,1,0,1,1,0);
INSERT INTO "occurrences" VALUES(8,3,1,1,0,217,982726489457784162,7,2,'user',1772442000000,1,1,1,1,0);
INSERT INTO "occurrences" VALUES(9,3,1,2,218,220,2759228356261758724,8,2,'user',1772442001000,1,1,1,1,0);
CREATE TABLE ranks (
	session INTEGER NOT NULL, 
	first_at INTEGER NOT NULL, 
	first_own_at INTEGER, 
	CONSTRAINT pk_ranks PRIMARY KEY (session), 
	CONSTRAINT fk_ranks_session FOREIGN KEY(session) REFERENCES session_ids (id)
)
 STRICT

;
CREATE TABLE records (
	occurrence INTEGER NOT NULL, 
	timestamp TEXT, 
	payload TEXT NOT NULL, 
	CONSTRAINT pk_records PRIMARY KEY (occurrence), 
	CONSTRAINT fk_records_occurrence FOREIGN KEY(occurrence) REFERENCES occurrences (id)
)
 STRICT

;
INSERT INTO "records" VALUES(6,NULL,'{"type":"summary","summary":"An old index","leafUuid":"u3"}');
CREATE TABLE runs (
	id INTEGER NOT NULL, 
	started_at TEXT NOT NULL, 
	finished_at TEXT, 
	status TEXT NOT NULL, 
	files_seen INTEGER NOT NULL, 
	files_read INTEGER NOT NULL, 
	bytes_read INTEGER NOT NULL, 
	lines_read INTEGER NOT NULL, 
	entries_added INTEGER NOT NULL, 
	malformed_lines INTEGER NOT NULL, 
	CONSTRAINT pk_runs PRIMARY KEY (id), 
	CONSTRAINT ck_runs_ck_runs_status CHECK (status in ('running', 'ok', 'interrupted', 'failed'))
)
 STRICT

;
INSERT INTO "runs" VALUES(1,'2026-11-16T07:58:58.365Z','2026-11-16T07:58:58.370Z','ok',3,3,1992,9,8,0);
CREATE TABLE session_ids (
	id INTEGER NOT NULL, 
	session_id TEXT NOT NULL, 
	CONSTRAINT pk_session_ids PRIMARY KEY (id), 
	CONSTRAINT uq_session_ids_session_id UNIQUE (session_id)
)
 STRICT

;
INSERT INTO "session_ids" VALUES(1,'s1');
INSERT INTO "session_ids" VALUES(2,'s2');
CREATE TABLE sidecars (
	source INTEGER NOT NULL, 
	agent_type TEXT, 
	description TEXT, 
	tool_use_id TEXT, 
	payload TEXT NOT NULL, 
	CONSTRAINT pk_sidecars PRIMARY KEY (source), 
	CONSTRAINT fk_sidecars_source FOREIGN KEY(source) REFERENCES sources (id)
)
 STRICT

;
CREATE TABLE sources (
	id INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	raw_path BLOB, 
	role TEXT NOT NULL, 
	project TEXT NOT NULL, 
	session_hint TEXT, 
	agent_id TEXT, 
	workflow_run TEXT, 
	generation INTEGER NOT NULL, 
	is_missing INTEGER NOT NULL, 
	first_indexed_at TEXT NOT NULL, 
	CONSTRAINT pk_sources PRIMARY KEY (id), 
	CONSTRAINT ck_sources_ck_sources_role CHECK (role in ('session', 'agent', 'journal', 'run', 'sidecar', 'tool_result')), 
	CONSTRAINT uq_sources_path UNIQUE (path)
)
 STRICT

;
INSERT INTO "sources" VALUES(1,'/home/you/.claude/projects/-w/s1.jsonl',NULL,'session','-w',NULL,NULL,NULL,1,0,'2026-11-16T07:58:58.366Z');
INSERT INTO "sources" VALUES(2,'/home/you/.claude/projects/-w/s1/subagents/agent-k.jsonl',NULL,'agent','-w','s1','k',NULL,1,0,'2026-11-16T07:58:58.369Z');
INSERT INTO "sources" VALUES(3,'/home/you/.claude/projects/-w/s2.jsonl',NULL,'session','-w',NULL,NULL,NULL,1,0,'2026-11-16T07:58:58.369Z');
CREATE TABLE tool_outcomes (
	entry INTEGER NOT NULL, 
	status TEXT, 
	exit_code INTEGER, 
	is_interrupted INTEGER, 
	duration_ms INTEGER, 
	agent_id TEXT, 
	workflow_run TEXT, 
	file_path TEXT, 
	lines_added INTEGER, 
	lines_removed INTEGER, 
	num_files INTEGER, 
	num_lines INTEGER, 
	stdout_bytes INTEGER, 
	stderr_bytes INTEGER, 
	total_tokens INTEGER, 
	total_tool_uses INTEGER, 
	is_async INTEGER, 
	background_task_id TEXT, 
	persisted_path TEXT, 
	persisted_size INTEGER, 
	facts TEXT, 
	CONSTRAINT pk_tool_outcomes PRIMARY KEY (entry), 
	CONSTRAINT fk_tool_outcomes_entry FOREIGN KEY(entry) REFERENCES entries (id)
)
 STRICT

;
CREATE TABLE tool_results (
	entry INTEGER NOT NULL, 
	idx INTEGER NOT NULL, 
	tool_use_id TEXT, 
	is_error INTEGER, 
	CONSTRAINT pk_tool_results PRIMARY KEY (entry, idx), 
	CONSTRAINT fk_tool_results_entry FOREIGN KEY(entry) REFERENCES entries (id)
)
 STRICT

;
INSERT INTO "tool_results" VALUES(3,0,'t1',NULL);
CREATE TABLE tool_uses (
	entry INTEGER NOT NULL, 
	idx INTEGER NOT NULL, 
	tool_use_id TEXT, 
	name TEXT, 
	input TEXT NOT NULL, 
	CONSTRAINT pk_tool_uses PRIMARY KEY (entry, idx), 
	CONSTRAINT fk_tool_uses_entry FOREIGN KEY(entry) REFERENCES entries (id)
)
 STRICT

;
INSERT INTO "tool_uses" VALUES(2,0,'t1','Task','{"prompt":"look"}');
CREATE INDEX ix_diagnostics_source ON diagnostics (source);
CREATE UNIQUE INDEX ix_drift_what ON drift (source, generation, kind, name, type, version);
CREATE INDEX ix_entries_context ON entries (context);
CREATE INDEX ix_sidecars_tool_use_id ON sidecars (tool_use_id);
CREATE UNIQUE INDEX ix_blocks_entry ON blocks (entry, idx);
CREATE INDEX ix_edges_parent ON edges (parent);
CREATE INDEX ix_messages_message_id ON messages (message_id);
CREATE INDEX ix_occurrences_entry ON occurrences (entry);
CREATE UNIQUE INDEX ix_occurrences_place ON occurrences (source, generation, "offset");
CREATE INDEX ix_occurrences_session ON occurrences (session, at);
CREATE INDEX ix_occurrences_stale ON occurrences (source) WHERE is_current = 0;
CREATE INDEX ix_tool_results_tool_use_id ON tool_results (tool_use_id);
CREATE INDEX ix_tool_uses_tool_use_id ON tool_uses (tool_use_id);
CREATE VIEW v1_attachments as
-- One row per attachment entry: hook results, queued commands, reminders, listings.
select
    e.uuid,
    e.subtype as attachment_type, -- hook_success, queued_command, task_reminder, ...
    e.tool_use_id,
    json_extract(d.json, '$.attachment.hookEvent') as hook_event,
    json_extract(d.json, '$.attachment.hookName') as hook_name,
    json_extract(d.json, '$.attachment.command') as command,
    json_extract(d.json, '$.attachment.exitCode') as exit_code,
    json_extract(d.json, '$.attachment.durationMs') as duration_ms,
    json_extract(d.json, '$.attachment.stdout') as stdout,
    json_extract(d.json, '$.attachment.stderr') as stderr,
    json_extract(d.json, '$.attachment') as attachment, -- JSON; long texts cut
    e.text
from entries e
left join details d on d.id = e.details
where e.type = 'attachment' and e.occurrence is not null;
CREATE VIEW v1_blocks as
-- One row per content block of an entry; a string content is one text block.
select
    e.uuid,
    b.idx, -- from 0
    b.type, -- text, thinking, tool_use, tool_result, image, ...
    b.text,
    coalesce(u.tool_use_id, r.tool_use_id) as tool_use_id,
    u.name as tool_name,
    u.input, -- JSON, of a tool_use
    r.is_error, -- of a tool_result; NULL: not recorded
    b.byte_size, -- of the text or input in UTF-8, of an image as encoded
    b.media_type, -- of an image, or the first one in a tool_result
    b.details -- JSON of a block type without columns here
from blocks b
left join entries e on e.id = b.entry
left join tool_uses u on u.entry = b.entry and u.idx = b.idx
left join tool_results r on r.entry = b.entry and r.idx = b.idx;
CREATE VIEW v1_diagnostics as
-- One row per thing worth telling, found in the files.
select
    d.kind,
    d.severity, -- info, warning, error
    d.session_id, -- claimed by the folder, else by the nearest object before it
    cast(null as text) as uuid,
    coalesce(s.path, d.path) as source_path,
    d.line_no,
    d.detail
from diagnostics d
left join sources s on s.id = d.source
union all
select 'source-missing', 'info', s.session_hint, null, s.path, null, null
from sources s
where s.is_missing
union all
select 'source-rewritten', 'info', s.session_hint, null, s.path, null, s.generation || ' generations'
from sources s
where s.generation > 1 and s.role in ('session', 'agent', 'journal')
union all
select 'empty-source', 'info', s.session_hint, null, s.path, null, null
from sources s
join generations g on g.source = s.id and g.number = s.generation
where g.archived = 0 and s.role in ('session', 'agent', 'journal')
union all
select 'unknown-type', 'info', null, null, r.first_source_path, r.first_line_no,
    r.name || ', ' || r.count || ' times' || case r.version when '' then '' else ' in ' || r.version end
from v1_drift r
where r.kind = 'type';
CREATE VIEW v1_drift as
-- One row per type or key that this version of ccindex does not know, by version of Claude Code.
select
    kind, -- type, subtype, key, message-key, block, progress, attachment
    name,
    type, -- of the line
    version, -- of Claude Code; '' if the line has none
    total as count, -- how often, in all generations
    source_path as first_source_path,
    line_no as first_line_no
from (
    select
        d.kind,
        d.name,
        d.type,
        d.version,
        sum(d.count) over same as total,
        s.path as source_path,
        d.line_no,
        row_number() over (same order by s.path, d.generation, d.offset) as place
    from drift d
    join sources s on s.id = d.source
    window same as (partition by d.kind, d.name, d.type, d.version)
)
where place = 1;
CREATE VIEW v1_edges as
-- One row per link between entries, as the child's owner names it.
select
    c.uuid as child_uuid,
    p.uuid as parent_uuid,
    l.kind, -- parent, logical, forked_from
    case when p.occurrence is null then 'ghost' else 'resolved' end as state -- ghost: the parent was never seen
from edges l
join entries c on c.id = l.child
join entries p on p.id = l.parent;
CREATE VIEW v1_entries as
-- One row per distinct uuid, with what the copy that owns it says.
select
    e.uuid,
    i.session_id, -- the owner's
    cast(null as text) as line_id, -- NULL: no line has been derived
    cast(null as integer) as position,
    e.type,
    e.subtype, -- of a system entry; data.type of progress; attachment.type of an attachment
    e.kind, -- assistant, result, prompt, boundary, side
    e.is_typed, -- 1: a prompt's own words; in an agent's thread those are the spawner's, not a person's
    e.timestamp, -- as recorded
    o.at as timestamp_ms, -- its instant in UTC, a neighbour's if it has none
    (
        select p.uuid
        from edges l
        join entries p on p.id = l.parent
        where l.child = e.id and l.kind = 'parent'
    ) as recorded_parent_uuid,
    (
        select p.uuid
        from edges l
        join entries p on p.id = l.parent and p.occurrence is not null
        where l.child = e.id and l.kind = 'parent'
    ) as parent_uuid, -- NULL: none, or not seen yet
    (
        select p.uuid
        from edges l
        join entries p on p.id = l.parent
        where l.child = e.id and l.kind = 'logical'
    ) as logical_parent_uuid,
    e.is_sidechain,
    e.is_meta,
    coalesce(e.agent_id, case when s.role = 'agent' then s.agent_id end) as agent_id,
    m.message_id,
    m.request_id,
    m.model,
    m.stop_reason,
    c.version,
    c.cwd,
    c.git_branch,
    s.project,
    s.path as source_path,
    o.line_no,
    nullif(coalesce(e.text, (
        select group_concat(words, char(10))
        from (
            select coalesce(b.text, u.input) as words
            from blocks b
            left join tool_uses u on u.entry = b.entry and u.idx = b.idx
            where b.entry = e.id
            order by b.idx
        )
    )), '') as text, -- searchable plain text
    e.is_command, -- 1: a slash or shell command, its caveat or its output
    e.is_compact_summary,
    e.is_api_error,
    e.is_active, -- NULL: not recorded
    c.slug,
    c.entrypoint,
    c.user_type,
    c.team_name,
    e.tool_use_id, -- that a progress, hook or system entry belongs to
    e.parent_tool_use_id,
    e.source_assistant_uuid, -- the call's entry, named by a result
    json_extract(d.json, '$.promptId') as prompt_id,
    json_extract(d.json, '$.permissionMode') as permission_mode,
    json_extract(d.json, '$.thinkingMetadata') as thinking, -- JSON: level, disabled, maxThinkingTokens, triggers
    json_extract(d.json, '$.todos') as todos, -- JSON: the todo list at that time
    json_extract(d.json, '$.planContent') as plan,
    json_extract(d.json, '$.sourceToolUseID') as source_tool_use_id,
    json_extract(d.json, '$.isVisibleInTranscriptOnly') as is_transcript_only,
    json_extract(d.json, '$.effort') as effort,
    json_extract(d.json, '$.advisorModel') as advisor_model,
    d.json as details, -- JSON of every recorded key without a column; long texts cut
    e.revision -- the index's revision in which it last changed
from entries e
join occurrences o on o.id = e.occurrence and o.entry = e.id -- both: found from either side
join session_ids i on i.id = o.session
left join sources s on s.id = o.source
left join contexts c on c.id = e.context
left join details d on d.id = e.details
left join messages m on m.entry = e.id and m.is_wrapped = 0
where e.occurrence is not null;
CREATE VIEW v1_file_snapshots as
-- One row per file in a file-history snapshot: the backups that Claude Code can go back to.
select
    i.session_id,
    json_extract(r.payload, '$.messageId') as message_id, -- in an id space of its own
    f.key as file_path,
    json_extract(f.value, '$.backupFileName') as backup_file_name,
    json_extract(f.value, '$.version') as version,
    json_extract(f.value, '$.backupTime') as backup_time,
    json_extract(r.payload, '$.isSnapshotUpdate') as is_update,
    json_extract(r.payload, '$.snapshot.timestamp') as timestamp,
    s.path as source_path,
    o.line_no
from records r
join occurrences o on o.id = r.occurrence
join session_ids i on i.id = o.session
join sources s on s.id = o.source
join json_each(
    case
        when json_type(r.payload, '$.snapshot.trackedFileBackups') = 'object'
            then json_extract(r.payload, '$.snapshot.trackedFileBackups')
        else '{}'
    end
) f
where o.type = 'file-history-snapshot' and f.type = 'object';
CREATE VIEW v1_ingest_runs as
-- One row per run of `ccindex ingest` that changed something.
select
    id as run_id,
    started_at,
    finished_at,
    files_seen,
    files_read,
    bytes_read,
    lines_read,
    entries_added,
    malformed_lines,
    status -- running, ok, interrupted, failed
from runs;
CREATE VIEW v1_messages as
-- One row per API message that an assistant entry holds or an agent_progress entry wraps, usage as recorded.
-- One response is split over several entries: do not sum these, group by message_id and take the fullest.
select
    e.uuid,
    m.is_wrapped, -- 1: a subagent's message inside a progress entry
    m.message_id,
    m.request_id,
    m.model,
    m.stop_reason,
    coalesce(m.timestamp, e.timestamp) as timestamp,
    m.input_tokens,
    m.output_tokens,
    m.cache_creation_tokens,
    m.cache_creation_5m_tokens, -- NULL: the split was not recorded
    m.cache_creation_1h_tokens,
    m.cache_read_tokens,
    m.web_search_requests,
    m.web_fetch_requests,
    m.service_tier
from messages m
join entries e on e.id = m.entry;
CREATE VIEW v1_meta as
-- What the index says of itself.
select key, value -- schema_version, views_version, ccindex_version, revision
from meta
where key in ('views_version', 'ccindex_version', 'revision')
union all
select 'schema_version', version_num
from alembic_version;
CREATE VIEW v1_occurrences as
-- One row per JSON object in a transcript; a line may hold two.
select
    e.uuid, -- NULL for lines without one
    i.session_id, -- the one it claims: its own, else its folder's, its neighbour's or the file's
    s.path as source_path,
    o.line_no, -- from 1
    o.offset as byte_offset,
    o.length as byte_length, -- of the object alone
    o.type,
    o.is_owner, -- 1: the entry takes its content from this copy
    o.is_current, -- 0: only an earlier generation of a rewritten file holds it
    o.generation, -- of the file, from 1
    o.at as timestamp_ms, -- its instant, a neighbour's if it has none
    o.is_stamped -- 1: the instant is its own
from occurrences o
left join entries e on e.id = o.entry
left join session_ids i on i.id = o.session
left join sources s on s.id = o.source;
CREATE VIEW v1_progress as
-- One row per progress entry: hooks, shell output, subagents, MCP servers at work.
select
    e.uuid,
    e.subtype as progress_type, -- bash_progress, hook_progress, agent_progress, mcp_progress, ...
    e.tool_use_id,
    e.parent_tool_use_id,
    e.named_agent_id as agent_id, -- of agent_progress
    json_extract(d.json, '$.data.hookEvent') as hook_event,
    json_extract(d.json, '$.data.hookName') as hook_name,
    json_extract(d.json, '$.data.command') as command,
    json_extract(d.json, '$.data.serverName') as mcp_server,
    json_extract(d.json, '$.data.toolName') as mcp_tool,
    json_extract(d.json, '$.data.status') as status,
    json_extract(d.json, '$.data.elapsedTimeSeconds') as elapsed_seconds,
    json_extract(d.json, '$.data.totalLines') as total_lines,
    json_extract(d.json, '$.data') as data, -- JSON; output and wrapped messages left out
    e.text -- of the message that agent_progress wraps
from entries e
left join details d on d.id = e.details
where e.type = 'progress' and e.occurrence is not null;
CREATE VIEW v1_queue_operations as
-- One row per queue operation: prompts typed while Claude was at work.
select
    i.session_id,
    json_extract(r.payload, '$.operation') as operation, -- enqueue, dequeue, remove, popAll
    json_extract(r.payload, '$.content') as content, -- text, or JSON of blocks
    r.timestamp,
    s.path as source_path,
    o.line_no
from records r
join occurrences o on o.id = r.occurrence
join session_ids i on i.id = o.session
join sources s on s.id = o.source
where o.type = 'queue-operation';
CREATE VIEW v1_records as
-- One row per line without a uuid: queue operations, snapshots, summaries, titles, modes, links.
select
    s.path as source_path,
    o.line_no,
    o.type,
    i.session_id, -- the one it claims
    r.timestamp, -- as recorded
    r.payload, -- JSON, images left out
    o.offset as byte_offset,
    o.is_current -- 0: only an earlier generation of a rewritten file holds it
from records r
join occurrences o on o.id = r.occurrence
left join session_ids i on i.id = o.session
left join sources s on s.id = o.source;
CREATE VIEW v1_session_settings as
-- One row per record of a mode, a link to a pull request, or another fact about a session.
select
    i.session_id,
    o.type as kind, -- permission-mode, mode, pr-link, bridge-session, ...
    coalesce(
        json_extract(r.payload, '$.permissionMode'),
        json_extract(r.payload, '$.mode'),
        json_extract(r.payload, '$.prUrl')
    ) as value,
    json_extract(r.payload, '$.prNumber') as pr_number,
    json_extract(r.payload, '$.prRepository') as pr_repository,
    r.timestamp,
    r.payload, -- JSON
    s.path as source_path,
    o.line_no
from records r
join occurrences o on o.id = r.occurrence
join session_ids i on i.id = o.session
join sources s on s.id = o.source
where o.type in ('permission-mode', 'mode', 'pr-link', 'bridge-session', 'atis-latch', 'agent-setting', 'tag');
CREATE VIEW v1_sidecars as
-- One row per sidecar or workflow run file, with the latest whole JSON it held.
select
    s.path as source_path,
    s.session_hint as session_id, -- by its folder
    s.agent_id,
    s.workflow_run,
    d.agent_type,
    d.description,
    d.tool_use_id, -- the call that spawned the agent
    d.payload -- JSON
from sidecars d
join sources s on s.id = d.source;
CREATE VIEW v1_sources as
-- One row per file ever indexed.
select
    s.path, -- absolute, symbolic links resolved
    s.project, -- name of the folder that holds the session file
    case s.role
        when 'session' then 'session'
        when 'agent' then 'agent'
        when 'journal' then 'workflow'
        when 'run' then 'workflow'
        else 'other'
    end as kind, -- session, agent, workflow (journals and run files), other (sidecars, persisted tool results)
    case
        when s.is_missing then 'missing'
        when s.generation > 1 then 'rewritten'
        else 'present'
    end as state, -- present, missing, or rewritten: present, with earlier generations in the archive
    g.archived as size, -- bytes when last read
    g.offset as indexed_bytes, -- less than size while the file ends in a torn line
    case
        when s.role in ('session', 'agent', 'journal')
            then g.line_no - 1 + (g.line_objects > 0 or g.is_torn)
    end as lines, -- of transcripts
    g.malformed as malformed_lines,
    s.first_indexed_at,
    g.last_indexed_at,
    s.role, -- session, agent, journal, run, sidecar, tool_result
    s.agent_id, -- that the file's name holds
    s.workflow_run, -- that the file's folder or name holds
    s.generation as generations -- how many, the earlier ones in the archive only
from sources s
join generations g on g.source = s.id and g.number = s.generation;
CREATE VIEW v1_summaries as
-- One row per summary or title record.
select
    case
        when leaf_uuid is null then own_session_id
        else (
            select i.session_id
            from entries e
            join occurrences o on o.id = e.occurrence
            join session_ids i on i.id = o.session
            where e.uuid = leaf_uuid
        )
    end as session_id, -- of the leaf, wherever that is; without a leaf its own; NULL: the leaf was not seen yet
    leaf_uuid,
    text,
    kind, -- summary, ai-title, custom-title, agent-name, last-prompt
    source_path,
    line_no
from (
    select
        i.session_id as own_session_id,
        json_extract(r.payload, '$.leafUuid') as leaf_uuid,
        case o.type
            when 'summary' then json_extract(r.payload, '$.summary')
            when 'ai-title' then json_extract(r.payload, '$.aiTitle')
            when 'custom-title' then json_extract(r.payload, '$.customTitle')
            when 'agent-name' then json_extract(r.payload, '$.agentName')
            else json_extract(r.payload, '$.lastPrompt')
        end as text,
        o.type as kind,
        s.path as source_path,
        o.line_no
    from records r
    join occurrences o on o.id = r.occurrence
    join session_ids i on i.id = o.session
    join sources s on s.id = o.source
    where o.type in ('summary', 'ai-title', 'custom-title', 'agent-name', 'last-prompt')
);
CREATE VIEW v1_system_events as
-- One row per system entry: compactions, stop hooks, turn durations, API errors, local commands.
select
    e.uuid,
    e.subtype,
    json_extract(d.json, '$.level') as level,
    e.text as content,
    json_extract(d.json, '$.durationMs') as duration_ms,
    json_extract(d.json, '$.messageCount') as message_count,
    json_extract(d.json, '$.compactMetadata.trigger') as compact_trigger,
    json_extract(d.json, '$.compactMetadata.preTokens') as compact_pre_tokens,
    json_extract(d.json, '$.compactMetadata.postTokens') as compact_post_tokens,
    json_extract(d.json, '$.hookCount') as hook_count,
    json_extract(d.json, '$.hookInfos') as hooks, -- JSON
    json_extract(d.json, '$.hookErrors') as hook_errors, -- JSON
    json_extract(d.json, '$.preventedContinuation') as prevented_continuation,
    json_extract(d.json, '$.stopReason') as stop_reason,
    json_extract(d.json, '$.error') as error, -- JSON
    json_extract(d.json, '$.retryAttempt') as retry_attempt,
    json_extract(d.json, '$.maxRetries') as max_retries,
    d.json as details -- JSON
from entries e
left join details d on d.id = e.details
where e.type = 'system' and e.occurrence is not null;
CREATE VIEW v1_tool_outcomes as
-- One row per entry with a toolUseResult: what happened, beyond the text that the model saw.
select
    e.uuid,
    (select r.tool_use_id from tool_results r where r.entry = t.entry order by r.idx limit 1) as tool_use_id,
    t.status,
    t.exit_code,
    t.is_interrupted,
    t.duration_ms,
    t.agent_id, -- the subagent that answered
    t.workflow_run,
    t.file_path,
    t.lines_added, -- by the structured patch
    t.lines_removed,
    t.num_files,
    t.num_lines,
    t.stdout_bytes,
    t.stderr_bytes,
    t.total_tokens, -- of a subagent
    t.total_tool_uses,
    t.is_async,
    t.background_task_id,
    t.persisted_path, -- where Claude Code put output too large for the transcript
    t.persisted_size,
    t.facts -- JSON of the rest, long texts left out
from tool_outcomes t
join entries e on e.id = t.entry;
COMMIT;
