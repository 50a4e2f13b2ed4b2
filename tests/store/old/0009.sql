BEGIN TRANSACTION;
CREATE TABLE agent_mentions (
    entry integer not null references entries (id),
    idx integer not null,
    agent_id text not null,
    primary key (entry, idx, agent_id)
) strict, without rowid;
INSERT INTO "agent_mentions" VALUES(3,0,'k');
CREATE TABLE agents (
    session integer not null references session_ids (id),
    agent_id text not null,
    thread integer references threads (id),
    name text not null,
    kind text not null,
    depth integer,
    parent_agent_id text,
    spawn integer references entries (id),
    rule text,
    tool_use_id text,
    call integer references entries (id),
    result integer references entries (id),
    first_prompt integer references entries (id),
    status text not null,
    entry_count integer not null,
    first_entry integer references entries (id),
    last_entry integer references entries (id),
    workflow_run text,
    primary key (session, agent_id),
    check (kind in ('task', 'async', 'teammate', 'workflow', 'unknown')),
    check (status in ('completed', 'failed', 'interrupted', 'running', 'unknown'))
) strict, without rowid;
INSERT INTO "agents" VALUES(1,'k',2,'unknown','task',1,NULL,3,'mention','t1',2,3,6,'completed',1,6,6,NULL);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0009');
CREATE TABLE blocks (
    id integer not null primary key,
    entry integer not null references entries (id),
    idx integer not null,
    type text,
    text text,
    byte_size integer not null,
    media_type text,
    details text
) strict;
INSERT INTO "blocks" VALUES(1,1,0,'text','say u1',6,NULL,NULL);
INSERT INTO "blocks" VALUES(2,2,0,'tool_use',NULL,17,NULL,NULL);
INSERT INTO "blocks" VALUES(3,3,0,'tool_result','done
agentId: k (for resuming)',30,NULL,NULL);
INSERT INTO "blocks" VALUES(4,4,0,'text','say u2',6,NULL,NULL);
INSERT INTO "blocks" VALUES(5,5,0,'text','say u3',6,NULL,NULL);
INSERT INTO "blocks" VALUES(6,6,0,'text','say g1',6,NULL,NULL);
INSERT INTO "blocks" VALUES(7,7,0,'text','say v1',6,NULL,NULL);
INSERT INTO "blocks" VALUES(8,9,0,'text','say w1',6,NULL,NULL);
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
CREATE TABLE copy_conflicts (
    entry integer not null primary key references entries (id),
    keys text not null,
    severity text not null
) strict;
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
    id integer not null primary key,
    source integer not null references sources (id),
    generation integer not null,
    kind text not null,
    name text not null,
    type text not null,
    version text not null,
    count integer not null,
    line_no integer not null,
    offset integer not null
) strict;
CREATE TABLE edges (
    child integer not null references entries (id),
    kind text not null,
    parent integer not null references entries (id),
    primary key (child, kind),
    check (kind in ('parent', 'logical', 'forked_from'))
) strict, without rowid;
INSERT INTO "edges" VALUES(2,'parent',1);
INSERT INTO "edges" VALUES(3,'parent',2);
INSERT INTO "edges" VALUES(4,'parent',3);
INSERT INTO "edges" VALUES(5,'parent',3);
INSERT INTO "edges" VALUES(7,'parent',5);
INSERT INTO "edges" VALUES(9,'parent',10);
CREATE TABLE entries (
    id integer not null primary key,
    uuid text not null,
    occurrence integer,
    revision integer not null,
    hash integer,
    context integer references entry_contexts (id),
    details integer references extra_json (id),
    type text,
    subtype text,
    kind text,
    form text,
    is_typed integer not null,
    is_command integer not null,
    is_sidechain integer not null,
    is_meta integer not null,
    is_compact_summary integer not null,
    is_api_error integer not null,
    is_active integer,
    timestamp text,
    agent_id text,
    named_agent_id text,
    tool_use_id text,
    parent_tool_use_id text,
    source_assistant_uuid text,
    text text,
    constraint uq_entries_uuid unique (uuid),
    check (kind in ('assistant', 'result', 'prompt', 'boundary', 'side')),
    check (occurrence is null or kind is not null)
) strict;
INSERT INTO "entries" VALUES(1,'u1',1,8,810435724033482794,3661428392202884756,NULL,'user',NULL,'prompt','typed',1,0,0,0,0,0,NULL,'2026-03-01T09:00:00.000Z',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(2,'a1',2,8,-2441726118182250779,3661428392202884756,NULL,'assistant',NULL,'assistant',NULL,0,0,0,0,0,0,NULL,'2026-03-01T09:00:01.000Z',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(3,'r1',3,8,-4496897102755940086,3661428392202884756,NULL,'user',NULL,'result',NULL,0,0,0,0,0,0,NULL,'2026-03-01T09:00:09.000Z',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(4,'u2',4,8,-7297372517528569752,3661428392202884756,NULL,'user',NULL,'prompt','typed',1,0,0,0,0,0,NULL,'2026-03-01T09:01:00.000Z',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(5,'u3',5,8,3093473106371806315,3661428392202884756,NULL,'user',NULL,'prompt','typed',1,0,0,0,0,0,NULL,'2026-03-01T09:02:00.000Z',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(6,'g1',7,8,-3706926644015222029,3661428392202884756,NULL,'user',NULL,'prompt','typed',1,0,1,0,0,0,NULL,'2026-03-01T09:00:02.000Z','k',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(7,'v1',8,8,982726489457784162,3661428392202884756,NULL,'user',NULL,'prompt','typed',1,0,0,0,0,0,NULL,'2026-03-02T09:00:00.000Z',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(9,'w1',9,8,2759228356261758724,3661428392202884756,NULL,'user',NULL,'prompt','typed',1,0,0,0,0,0,NULL,'2026-03-02T09:00:01.000Z',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(10,'ghost',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE entry_contexts (
    id integer not null primary key,
    cwd text,
    git_branch text,
    version text,
    user_type text,
    entrypoint text,
    slug text,
    team_name text
) strict;
INSERT INTO "entry_contexts" VALUES(3661428392202884756,'/w',NULL,'2.1.200',NULL,NULL,NULL,NULL);
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
CREATE TABLE extra_json (
    id integer not null primary key,
    json text not null
) strict;
CREATE TABLE file_touches (
    entry integer not null references entries (id),
    idx integer not null,
    path text not null,
    operation text not null,
    primary key (entry, idx, path),
    check (operation in ('read', 'write', 'edit', 'notebook', 'search'))
) strict, without rowid;
CREATE TABLE forks (
    entry integer not null references entries (id),
    thread integer not null references threads (id),
    line integer not null references lines (id),
    position integer not null,
    rung integer not null,
    verdict text not null,
    child_count integer not null,
    reason text not null,
    primary key (entry, thread)
) strict, without rowid;
INSERT INTO "forks" VALUES(3,1,1,2,7,'rewind',2,'2 alternatives; a person went back to this entry and continued from here');
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
	malformed_lines INTEGER NOT NULL, 
	has_crlf INTEGER NOT NULL, 
	is_torn INTEGER NOT NULL, 
	last_timestamp_ms INTEGER, 
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
CREATE TABLE graph_diagnostics (
    entry integer not null references entries (id),
    kind text not null,
    thread integer not null references threads (id),
    severity text not null,
    detail text,
    primary key (entry, kind)
) strict, without rowid;
INSERT INTO "graph_diagnostics" VALUES(9,'orphan-parent',3,'info',NULL);
INSERT INTO "graph_diagnostics" VALUES(9,'unexpected-root',3,'warning','orphan');
CREATE TABLE ingest_runs (
    id integer not null primary key,
    started_at text not null,
    finished_at text,
    status text not null,
    files_seen integer not null,
    files_read integer not null,
    bytes_read integer not null,
    lines_read integer not null,
    entries_added integer not null,
    malformed_lines integer not null,
    check (status in ('running', 'ok', 'interrupted', 'failed'))
) strict;
INSERT INTO "ingest_runs" VALUES(1,'2026-11-16T07:58:58.365Z','2026-11-16T07:58:58.370Z','ok',3,3,1992,9,8,0);
CREATE TABLE iterations (
    entry integer not null references entries (id),
    idx integer not null,
    type text,
    model text,
    input_tokens integer,
    output_tokens integer,
    cache_creation_tokens integer,
    cache_creation_5m_tokens integer,
    cache_creation_1h_tokens integer,
    cache_read_tokens integer,
    response_id text not null,
    primary key (entry, idx)
) strict, without rowid;
CREATE TABLE junctions (
    entry integer not null references entries (id),
    target integer not null references lines (id),
    thread integer not null references threads (id),
    kind text not null,
    ordinal integer not null,
    primary key (entry, target),
    check (kind in ('resume', 'fork', 'rewind', 'retry', 'agent'))
) strict, without rowid;
INSERT INTO "junctions" VALUES(3,2,1,'agent',0);
INSERT INTO "junctions" VALUES(3,3,1,'rewind',1);
INSERT INTO "junctions" VALUES(3,4,1,'rewind',2);
INSERT INTO "junctions" VALUES(5,5,1,'resume',0);
CREATE TABLE lines (
    id integer not null primary key,
    thread integer not null references threads (id),
    line_id text not null,
    kind text not null,
    parent integer references lines (id),
    parent_position integer,
    attachment integer references entries (id),
    first_entry integer not null references entries (id),
    last_entry integer not null references entries (id),
    entry_count integer not null,
    is_active integer not null,
    check (kind in ('trunk', 'branch', 'agent', 'agent_branch'))
) strict;
INSERT INTO "lines" VALUES(1,1,'s1','trunk',NULL,NULL,NULL,1,3,3,1);
INSERT INTO "lines" VALUES(2,2,'s1#agent-k','agent',1,2,3,6,6,1,1);
INSERT INTO "lines" VALUES(3,1,'s1@u2','branch',1,2,3,4,4,1,0);
INSERT INTO "lines" VALUES(4,1,'s1@u3','branch',1,2,3,5,5,1,1);
INSERT INTO "lines" VALUES(5,3,'s2','trunk',4,0,5,7,9,2,1);
CREATE TABLE messages (
    entry integer not null primary key references entries (id),
    is_wrapped integer not null,
    message_id text,
    request_id text,
    model text,
    stop_reason text,
    timestamp text,
    input_tokens integer,
    output_tokens integer,
    cache_creation_tokens integer,
    cache_creation_5m_tokens integer,
    cache_creation_1h_tokens integer,
    cache_read_tokens integer,
    web_search_requests integer,
    web_fetch_requests integer,
    service_tier text,
    response_id text,
    has_plain_text integer not null
) strict;
INSERT INTO "messages" VALUES(2,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'a1',0);
CREATE TABLE meta (
	"key" TEXT NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_meta PRIMARY KEY ("key")
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "meta" VALUES('ccindex_version','0.2.0');
INSERT INTO "meta" VALUES('decode_version','6');
INSERT INTO "meta" VALUES('derive_version','7');
INSERT INTO "meta" VALUES('prices_version','0.2.3+2026-11-16');
INSERT INTO "meta" VALUES('revision','8');
INSERT INTO "meta" VALUES('views_digest','74cdb7607661543d8e317196e16cd0f5');
INSERT INTO "meta" VALUES('views_version','1');
CREATE TABLE model_prices (
    model text not null,
    day text not null,
    above_input_tokens integer not null,
    input real,
    output real,
    cache_read real,
    cache_write_5m real,
    cache_write_1h real,
    primary key (model, day, above_input_tokens)
) strict, without rowid;
INSERT INTO "model_prices" VALUES('','2026-03-01',0,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE occurrences (
    id integer not null primary key,
    source integer not null references sources (id),
    generation integer not null,
    line_no integer not null,
    offset integer not null,
    length integer not null,
    hash integer not null,
    type text,
    timestamp_ms integer not null,
    has_own_timestamp integer not null,
    has_parent integer not null,
    session integer not null references session_ids (id),
    entry integer references entries (id),
    is_current integer not null,
    is_owner integer not null,
    has_copies integer not null
) strict;
INSERT INTO "occurrences" VALUES(1,1,1,1,0,217,810435724033482794,'user',1772355600000,1,0,1,1,1,1,0);
INSERT INTO "occurrences" VALUES(2,1,1,2,218,298,-2441726118182250779,'assistant',1772355601000,1,1,1,2,1,1,0);
INSERT INTO "occurrences" VALUES(3,1,1,3,517,301,-4496897102755940086,'user',1772355609000,1,1,1,3,1,1,0);
INSERT INTO "occurrences" VALUES(4,1,1,4,819,217,-7297372517528569752,'user',1772355660000,1,1,1,4,1,1,0);
INSERT INTO "occurrences" VALUES(5,1,1,5,1037,217,3093473106371806315,'user',1772355720000,1,1,1,5,1,1,0);
INSERT INTO "occurrences" VALUES(6,1,1,6,1255,64,7981086988806905222,'summary',1772355720000,0,0,1,NULL,1,0,0);
INSERT INTO "occurrences" VALUES(7,2,1,1,0,232,-3706926644015222029,'user',1772355602000,1,0,1,6,1,1,0);
INSERT INTO "occurrences" VALUES(8,3,1,1,0,217,982726489457784162,'user',1772442000000,1,1,2,7,1,1,0);
INSERT INTO "occurrences" VALUES(9,3,1,2,218,220,2759228356261758724,'user',1772442001000,1,1,2,9,1,1,0);
CREATE TABLE parent_repairs (
    child integer not null references entries (id),
    kind text not null,
    thread integer not null references threads (id),
    parent integer references entries (id),
    rule text,
    primary key (child, kind),
    check (kind in ('spawn', 'cut'))
) strict, without rowid;
INSERT INTO "parent_repairs" VALUES(6,'spawn',2,3,'mention');
CREATE TABLE paths (
    line integer not null primary key references lines (id),
    number integer not null,
    root integer not null references entries (id),
    leaf integer not null references entries (id),
    fork integer references entries (id),
    entry_count integer not null,
    compaction_count integer not null
) strict;
INSERT INTO "paths" VALUES(2,1,1,6,NULL,4,0);
INSERT INTO "paths" VALUES(3,1,1,4,3,4,0);
INSERT INTO "paths" VALUES(5,1,1,9,3,6,0);
CREATE TABLE placements (
    entry integer not null primary key references entries (id),
    thread integer not null references threads (id),
    line integer references lines (id),
    position integer,
    set_aside_reason text,
    fork integer references entries (id),
    effective_parent integer references entries (id),
    fork_line integer references lines (id),
    check ((line is null) = (fork_line is not null)),
    check ((line is null) = (position is null)),
    check ((line is null) = (set_aside_reason is not null)),
    check (line is not null or fork is not null),
    check (set_aside_reason in ('replay', 'structural'))
) strict;
INSERT INTO "placements" VALUES(1,1,1,0,NULL,NULL,NULL,NULL);
INSERT INTO "placements" VALUES(2,1,1,1,NULL,NULL,1,NULL);
INSERT INTO "placements" VALUES(3,1,1,2,NULL,NULL,2,NULL);
INSERT INTO "placements" VALUES(4,1,3,0,NULL,NULL,3,NULL);
INSERT INTO "placements" VALUES(5,1,4,0,NULL,NULL,3,NULL);
INSERT INTO "placements" VALUES(6,2,2,0,NULL,NULL,3,NULL);
INSERT INTO "placements" VALUES(7,3,5,0,NULL,NULL,5,NULL);
INSERT INTO "placements" VALUES(9,3,5,1,NULL,NULL,NULL,NULL);
CREATE TABLE queued_words (
    occurrence integer not null primary key references occurrences (id),
    session integer not null references session_ids (id),
    entry integer references entries (id),
    text text not null,
    timestamp_ms integer not null,
    removed_by text not null,
    removed_ms integer not null,
    is_before integer not null,
    check (removed_by in ('remove', 'popAll'))
) strict;
CREATE TABLE records (
    occurrence integer not null primary key references occurrences (id),
    timestamp text,
    payload text not null,
    leaf text
) strict;
INSERT INTO "records" VALUES(6,NULL,'{"type":"summary","summary":"An old index","leafUuid":"u3"}','u3');
CREATE TABLE redactions (
	source INTEGER NOT NULL, 
	generation INTEGER NOT NULL, 
	start INTEGER NOT NULL, 
	length INTEGER NOT NULL, 
	CONSTRAINT pk_redactions PRIMARY KEY (source, generation, start), 
	CONSTRAINT fk_redactions_source FOREIGN KEY(source) REFERENCES sources (id)
)
 WITHOUT ROWID,
 STRICT

;
CREATE TABLE responses (
    response_id text not null primary key,
    entry integer not null references entries (id),
    session integer not null references session_ids (id),
    timestamp_ms integer not null,
    model text,
    entry_count integer not null,
    input_tokens integer not null,
    output_tokens integer not null,
    cache_creation_5m_tokens integer not null,
    cache_creation_1h_tokens integer not null,
    cache_read_tokens integer not null,
    is_final integer not null,
    cost_nanousd integer,
    parent text
) strict, without rowid;
INSERT INTO "responses" VALUES('a1',2,1,1772355601000,NULL,1,0,0,0,0,0,0,NULL,NULL);
CREATE TABLE roots (
    entry integer not null primary key references entries (id),
    thread integer not null references threads (id),
    kind text not null,
    is_expected integer not null
) strict;
INSERT INTO "roots" VALUES(1,1,'start',1);
INSERT INTO "roots" VALUES(6,2,'agent',1);
INSERT INTO "roots" VALUES(7,3,'resume',1);
INSERT INTO "roots" VALUES(9,3,'orphan',0);
CREATE TABLE session_ids (
    id integer not null primary key,
    session_id text not null,
    constraint uq_session_ids_session_id unique (session_id)
) strict;
INSERT INTO "session_ids" VALUES(1,'s1');
INSERT INTO "session_ids" VALUES(2,'s2');
CREATE TABLE session_ranks (
    session integer not null primary key references session_ids (id),
    first_timestamp_ms integer not null,
    first_own_timestamp_ms integer
) strict;
CREATE TABLE sessions (
    session integer not null primary key references session_ids (id),
    family integer not null,
    relation text not null,
    parent integer references session_ids (id),
    attachment integer references entries (id),
    first_entry integer references entries (id),
    last_entry integer references entries (id),
    first_prompt integer references entries (id),
    title text,
    entry_count integer not null,
    line_count integer not null,
    branch_count integer not null,
    agent_count integer not null,
    compaction_count integer not null,
    model_names text,
    first_prompt_text text,
    project text,
    first_timestamp_ms integer,
    last_timestamp_ms integer,
    worktree text,
    relocated_from text,
    relocated_to text,
    teleported_from text,
    check (relation in ('root', 'continues', 'forks'))
) strict;
INSERT INTO "sessions" VALUES(1,1,'root',NULL,NULL,1,5,1,'An old index',6,4,2,1,0,NULL,NULL,'-w',1772355600000,1772355720000,NULL,NULL,NULL,NULL);
INSERT INTO "sessions" VALUES(2,1,'continues',1,5,7,9,7,NULL,2,1,0,0,0,NULL,NULL,'-w',1772442000000,1772442001000,NULL,NULL,NULL,NULL);
CREATE TABLE sidecars (
    source integer not null primary key references sources (id),
    agent_type text,
    description text,
    tool_use_id text,
    payload text not null,
    name text
) strict;
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
CREATE TABLE task_notices (
    id integer not null primary key,
    entry integer references entries (id),
    record integer references occurrences (id),
    task_id text not null,
    status text not null,
    kind text not null,
    summary text,
    result text,
    check ((entry is null) <> (record is null)),
    check (kind in ('task', 'shell', 'agent'))
) strict;
CREATE TABLE threads (
    id integer not null primary key,
    session integer not null references session_ids (id),
    thread_id text not null,
    agent_id text
) strict;
INSERT INTO "threads" VALUES(1,1,'s1',NULL);
INSERT INTO "threads" VALUES(2,1,'s1#agent-k','k');
INSERT INTO "threads" VALUES(3,2,'s2',NULL);
CREATE TABLE tombstones (
    kind text not null,
    name text not null,
    forgotten_at text not null,
    primary key (kind, name),
    check (kind in ('session', 'project', 'file', 'leaf'))
) strict, without rowid;
CREATE TABLE tool_outcomes (
    entry integer not null primary key references entries (id),
    status text,
    exit_code integer,
    is_interrupted integer,
    duration_ms integer,
    agent_id text,
    workflow_run text,
    file_path text,
    lines_added integer,
    lines_removed integer,
    num_files integer,
    num_lines integer,
    stdout_bytes integer,
    stderr_bytes integer,
    total_tokens integer,
    total_tool_uses integer,
    is_async integer,
    background_task_id text,
    persisted_path text,
    persisted_size integer,
    facts text,
    denial_kind text
) strict;
CREATE TABLE tool_pairs (
    tool_use_id text not null,
    session integer not null references session_ids (id),
    use integer references entries (id),
    use_idx integer,
    result integer references entries (id),
    result_idx integer,
    timestamp_ms integer,
    duration_ms integer,
    outcome text not null,
    primary key (tool_use_id, session),
    check (outcome in ('pending', 'ok', 'error', 'refused', 'interrupted')),
    check (use is not null or result is not null)
) strict, without rowid;
INSERT INTO "tool_pairs" VALUES('t1',1,2,0,3,0,1772355601000,8000,'ok');
CREATE TABLE tool_results (
    entry integer not null references entries (id),
    idx integer not null,
    tool_use_id text,
    is_error integer,
    primary key (entry, idx)
) strict;
INSERT INTO "tool_results" VALUES(3,0,'t1',NULL);
CREATE TABLE tool_totals (
    session integer not null references session_ids (id),
    quarter_hour integer,
    agent_id text,
    model text,
    name text not null,
    calls integer not null,
    ok integer not null,
    errors integer not null,
    refused integer not null,
    interrupted integer not null,
    error_results integer not null,
    durations_ms text not null,
    first_timestamp_ms integer not null,
    last_timestamp_ms integer not null
) strict;
INSERT INTO "tool_totals" VALUES(1,1969284,NULL,NULL,'Task',1,1,0,0,0,0,'[8000]',1772355601000,1772355601000);
CREATE TABLE tool_uses (
    entry integer not null references entries (id),
    idx integer not null,
    tool_use_id text,
    name text,
    input text not null,
    primary key (entry, idx)
) strict;
INSERT INTO "tool_uses" VALUES(2,0,'t1','Task','{"prompt":"look"}');
CREATE TABLE usage_totals (
    session integer not null references session_ids (id),
    quarter_hour integer,
    agent_id text,
    model text,
    entries integer not null,
    spans text not null,
    responses integer not null,
    input_tokens integer not null,
    output_tokens integer not null,
    cache_creation_tokens integer not null,
    cache_read_tokens integer not null,
    priced_responses integer not null,
    cost_nanousd integer not null
) strict;
INSERT INTO "usage_totals" VALUES(1,1969284,NULL,NULL,5,'[1772355600000,1772355720000]',1,0,0,0,0,0,0);
INSERT INTO "usage_totals" VALUES(1,1969284,'k',NULL,1,'[1772355602000,1772355602000]',0,0,0,0,0,0,0);
INSERT INTO "usage_totals" VALUES(2,1969380,NULL,NULL,2,'[1772442000000,1772442001000]',0,0,0,0,0,0,0);
CREATE INDEX ix_diagnostics_source ON diagnostics (source);
CREATE INDEX ix_sources_session_hint ON sources (session_hint);
CREATE INDEX ix_entries_context on entries (context);
CREATE INDEX ix_entries_named on entries (parent_tool_use_id) where named_agent_id is not null;
CREATE INDEX ix_sidecars_tool_use_id on sidecars (tool_use_id);
CREATE INDEX ix_threads_session on threads (session);
CREATE INDEX ix_tool_totals_session on tool_totals (session);
CREATE INDEX ix_usage_totals_session on usage_totals (session);
CREATE INDEX ix_agents_thread on agents (thread);
CREATE INDEX ix_agents_tool_use_id on agents (tool_use_id);
CREATE UNIQUE INDEX ix_blocks_entry on blocks (entry, idx);
CREATE INDEX ix_edges_parent on edges (parent);
CREATE INDEX ix_file_touches_path on file_touches (path);
CREATE INDEX ix_graph_diagnostics_thread on graph_diagnostics (thread);
CREATE INDEX ix_iterations_response_id on iterations (response_id);
CREATE INDEX ix_lines_line_id on lines (line_id);
CREATE INDEX ix_lines_parent on lines (parent);
CREATE INDEX ix_lines_thread on lines (thread);
CREATE INDEX ix_messages_response_id on messages (response_id);
CREATE INDEX ix_occurrences_entry on occurrences (entry, session);
CREATE INDEX ix_occurrences_records on occurrences (session, type) where entry is null;
CREATE INDEX ix_occurrences_session on occurrences (session, timestamp_ms);
CREATE INDEX ix_occurrences_stale on occurrences (source) where is_current = 0;
CREATE INDEX ix_parent_repairs_parent on parent_repairs (parent);
CREATE INDEX ix_parent_repairs_thread on parent_repairs (thread);
CREATE INDEX ix_responses_session on responses (session);
CREATE INDEX ix_roots_thread on roots (thread);
CREATE INDEX ix_sessions_family on sessions (family);
CREATE INDEX ix_tool_pairs_result on tool_pairs (result) where result is not null;
CREATE INDEX ix_tool_pairs_session on tool_pairs (session);
CREATE INDEX ix_tool_pairs_timestamp_ms on tool_pairs (timestamp_ms);
CREATE INDEX ix_tool_results_tool_use_id on tool_results (tool_use_id);
CREATE INDEX ix_tool_uses_name on tool_uses (name);
CREATE INDEX ix_tool_uses_tool_use_id on tool_uses (tool_use_id);
CREATE INDEX ix_forks_line on forks (line);
CREATE INDEX ix_forks_thread on forks (thread);
CREATE INDEX ix_junctions_target on junctions (target);
CREATE INDEX ix_junctions_thread on junctions (thread);
CREATE INDEX ix_paths_leaf on paths (leaf);
CREATE INDEX ix_placements_effective_parent on placements (effective_parent) where effective_parent is not null;
CREATE INDEX ix_placements_fork on placements (fork) where fork is not null;
CREATE INDEX ix_placements_line on placements (line, position) where line is not null;
CREATE INDEX ix_queued_words_entry on queued_words (entry);
CREATE INDEX ix_queued_words_session on queued_words (session);
CREATE INDEX ix_records_leaf on records (leaf) where leaf is not null;
CREATE INDEX ix_task_notices_entry on task_notices (entry);
CREATE INDEX ix_task_notices_record on task_notices (record);
CREATE INDEX ix_task_notices_task_id on task_notices (task_id);
CREATE UNIQUE INDEX ix_drift_unknown on drift (source, generation, kind, name, type, version);
CREATE UNIQUE INDEX ix_occurrences_location on occurrences (source, generation, offset);
CREATE INDEX ix_sessions_last_timestamp_ms on sessions (last_timestamp_ms);
CREATE VIRTUAL TABLE entries_fts using fts5(
    prompt, answer, thinking, input, result, other, content = '', tokenize = "unicode61 remove_diacritics 2"
);
COMMIT;
