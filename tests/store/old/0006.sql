BEGIN TRANSACTION;
CREATE TABLE agents (
	session INTEGER NOT NULL, 
	agent_id TEXT NOT NULL, 
	thread INTEGER, 
	name TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	depth INTEGER, 
	parent_agent_id TEXT, 
	spawn INTEGER, 
	rule TEXT, 
	tool_use_id TEXT, 
	call INTEGER, 
	result INTEGER, 
	told INTEGER, 
	status TEXT NOT NULL, 
	entry_count INTEGER NOT NULL, 
	first_entry INTEGER, 
	last_entry INTEGER, 
	workflow_run TEXT, 
	CONSTRAINT pk_agents PRIMARY KEY (session, agent_id), 
	CONSTRAINT ck_agents_ck_agents_kind CHECK (kind in ('task', 'async', 'teammate', 'workflow', 'unknown')), 
	CONSTRAINT ck_agents_ck_agents_status CHECK (status in ('completed', 'failed', 'interrupted', 'running', 'unknown')), 
	CONSTRAINT fk_agents_call FOREIGN KEY(call) REFERENCES entries (id), 
	CONSTRAINT fk_agents_first_entry FOREIGN KEY(first_entry) REFERENCES entries (id), 
	CONSTRAINT fk_agents_last_entry FOREIGN KEY(last_entry) REFERENCES entries (id), 
	CONSTRAINT fk_agents_result FOREIGN KEY(result) REFERENCES entries (id), 
	CONSTRAINT fk_agents_session FOREIGN KEY(session) REFERENCES session_ids (id), 
	CONSTRAINT fk_agents_spawn FOREIGN KEY(spawn) REFERENCES entries (id), 
	CONSTRAINT fk_agents_thread FOREIGN KEY(thread) REFERENCES threads (id), 
	CONSTRAINT fk_agents_told FOREIGN KEY(told) REFERENCES entries (id)
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "agents" VALUES(1,'k',2,'unknown','task',1,NULL,3,'mention','t1',2,3,6,'completed',1,6,6,NULL);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0006');
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
CREATE TABLE conflicts (
	entry INTEGER NOT NULL, 
	keys TEXT NOT NULL, severity TEXT DEFAULT 'warning' NOT NULL, 
	CONSTRAINT pk_conflicts PRIMARY KEY (entry), 
	CONSTRAINT fk_conflicts_entry FOREIGN KEY(entry) REFERENCES entries (id)
)
 STRICT

;
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
INSERT INTO "edges" VALUES(9,'parent',10);
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
	revision INTEGER NOT NULL, form TEXT, 
	CONSTRAINT pk_entries PRIMARY KEY (id), 
	CONSTRAINT ck_entries_ck_entries_kind CHECK (kind in ('assistant', 'result', 'prompt', 'boundary', 'side')), 
	CONSTRAINT ck_entries_ck_entries_known CHECK (occurrence is null or kind is not null), 
	CONSTRAINT fk_entries_context FOREIGN KEY(context) REFERENCES contexts (id), 
	CONSTRAINT fk_entries_details FOREIGN KEY(details) REFERENCES details (id), 
	CONSTRAINT uq_entries_uuid UNIQUE (uuid)
)
 STRICT

;
INSERT INTO "entries" VALUES(1,'u1',1,810435724033482794,3661428392202884756,NULL,'user',NULL,'prompt',1,0,0,0,0,0,NULL,'2026-03-01T09:00:00.000Z',NULL,NULL,NULL,NULL,NULL,NULL,5,'typed');
INSERT INTO "entries" VALUES(2,'a1',2,-2441726118182250779,3661428392202884756,NULL,'assistant',NULL,'assistant',0,0,0,0,0,0,NULL,'2026-03-01T09:00:01.000Z',NULL,NULL,NULL,NULL,NULL,NULL,5,NULL);
INSERT INTO "entries" VALUES(3,'r1',3,-4496897102755940086,3661428392202884756,NULL,'user',NULL,'result',0,0,0,0,0,0,NULL,'2026-03-01T09:00:09.000Z',NULL,NULL,NULL,NULL,NULL,NULL,5,NULL);
INSERT INTO "entries" VALUES(4,'u2',4,-7297372517528569752,3661428392202884756,NULL,'user',NULL,'prompt',1,0,0,0,0,0,NULL,'2026-03-01T09:01:00.000Z',NULL,NULL,NULL,NULL,NULL,NULL,5,'typed');
INSERT INTO "entries" VALUES(5,'u3',5,3093473106371806315,3661428392202884756,NULL,'user',NULL,'prompt',1,0,0,0,0,0,NULL,'2026-03-01T09:02:00.000Z',NULL,NULL,NULL,NULL,NULL,NULL,5,'typed');
INSERT INTO "entries" VALUES(6,'g1',7,-3706926644015222029,3661428392202884756,NULL,'user',NULL,'prompt',1,0,1,0,0,0,NULL,'2026-03-01T09:00:02.000Z','k',NULL,NULL,NULL,NULL,NULL,5,'typed');
INSERT INTO "entries" VALUES(7,'v1',8,982726489457784162,3661428392202884756,NULL,'user',NULL,'prompt',1,0,0,0,0,0,NULL,'2026-03-02T09:00:00.000Z',NULL,NULL,NULL,NULL,NULL,NULL,5,'typed');
INSERT INTO "entries" VALUES(9,'w1',9,2759228356261758724,3661428392202884756,NULL,'user',NULL,'prompt',1,0,0,0,0,0,NULL,'2026-03-02T09:00:01.000Z',NULL,NULL,NULL,NULL,NULL,NULL,5,'typed');
INSERT INTO "entries" VALUES(10,'ghost',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL);
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
CREATE TABLE findings (
	entry INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	thread INTEGER NOT NULL, 
	severity TEXT NOT NULL, 
	detail TEXT, 
	CONSTRAINT pk_findings PRIMARY KEY (entry, kind), 
	CONSTRAINT fk_findings_entry FOREIGN KEY(entry) REFERENCES entries (id), 
	CONSTRAINT fk_findings_thread FOREIGN KEY(thread) REFERENCES threads (id)
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "findings" VALUES(9,'orphan-parent',3,'info',NULL);
INSERT INTO "findings" VALUES(9,'unexpected-root',3,'warning','orphan');
CREATE TABLE forgotten (
	kind TEXT NOT NULL, 
	name TEXT NOT NULL, 
	forgotten_at TEXT NOT NULL, 
	CONSTRAINT pk_forgotten PRIMARY KEY (kind, name), 
	CONSTRAINT ck_forgotten_ck_forgotten_kind CHECK (kind in ('session', 'project', 'file', 'leaf'))
)
 WITHOUT ROWID,
 STRICT

;
CREATE TABLE forks (
	entry INTEGER NOT NULL, 
	thread INTEGER NOT NULL, 
	line INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	rung INTEGER NOT NULL, 
	verdict TEXT NOT NULL, 
	child_count INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	CONSTRAINT pk_forks PRIMARY KEY (entry, thread), 
	CONSTRAINT fk_forks_entry FOREIGN KEY(entry) REFERENCES entries (id), 
	CONSTRAINT fk_forks_line FOREIGN KEY(line) REFERENCES lines (id), 
	CONSTRAINT fk_forks_thread FOREIGN KEY(thread) REFERENCES threads (id)
)
 WITHOUT ROWID,
 STRICT

;
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
CREATE TABLE iterations (
	entry INTEGER NOT NULL, 
	idx INTEGER NOT NULL, 
	type TEXT, 
	model TEXT, 
	input_tokens INTEGER, 
	output_tokens INTEGER, 
	cache_creation_tokens INTEGER, 
	cache_creation_5m_tokens INTEGER, 
	cache_creation_1h_tokens INTEGER, 
	cache_read_tokens INTEGER, 
	response TEXT NOT NULL, 
	CONSTRAINT pk_iterations PRIMARY KEY (entry, idx), 
	CONSTRAINT fk_iterations_entry FOREIGN KEY(entry) REFERENCES entries (id)
)
 WITHOUT ROWID,
 STRICT

;
CREATE TABLE junctions (
	entry INTEGER NOT NULL, 
	target INTEGER NOT NULL, 
	thread INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	CONSTRAINT pk_junctions PRIMARY KEY (entry, target), 
	CONSTRAINT ck_junctions_ck_junctions_kind CHECK (kind in ('resume', 'fork', 'rewind', 'retry', 'agent')), 
	CONSTRAINT fk_junctions_entry FOREIGN KEY(entry) REFERENCES entries (id), 
	CONSTRAINT fk_junctions_target FOREIGN KEY(target) REFERENCES lines (id), 
	CONSTRAINT fk_junctions_thread FOREIGN KEY(thread) REFERENCES threads (id)
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "junctions" VALUES(3,2,1,'agent',0);
INSERT INTO "junctions" VALUES(3,3,1,'rewind',1);
INSERT INTO "junctions" VALUES(3,4,1,'rewind',2);
INSERT INTO "junctions" VALUES(5,5,1,'resume',0);
CREATE TABLE lines (
	id INTEGER NOT NULL, 
	thread INTEGER NOT NULL, 
	line_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	parent INTEGER, 
	parent_position INTEGER, 
	attachment INTEGER, 
	first_entry INTEGER NOT NULL, 
	last_entry INTEGER NOT NULL, 
	entry_count INTEGER NOT NULL, 
	is_active INTEGER NOT NULL, 
	CONSTRAINT pk_lines PRIMARY KEY (id), 
	CONSTRAINT ck_lines_ck_lines_kind CHECK (kind in ('trunk', 'branch', 'agent', 'agent_branch')), 
	CONSTRAINT fk_lines_attachment FOREIGN KEY(attachment) REFERENCES entries (id), 
	CONSTRAINT fk_lines_first_entry FOREIGN KEY(first_entry) REFERENCES entries (id), 
	CONSTRAINT fk_lines_last_entry FOREIGN KEY(last_entry) REFERENCES entries (id), 
	CONSTRAINT fk_lines_parent FOREIGN KEY(parent) REFERENCES lines (id), 
	CONSTRAINT fk_lines_thread FOREIGN KEY(thread) REFERENCES threads (id)
)
 STRICT

;
INSERT INTO "lines" VALUES(1,1,'s1','trunk',NULL,NULL,NULL,1,3,3,1);
INSERT INTO "lines" VALUES(2,2,'s1#agent-k','agent',1,2,3,6,6,1,1);
INSERT INTO "lines" VALUES(3,1,'s1@u2','branch',1,2,3,4,4,1,0);
INSERT INTO "lines" VALUES(4,1,'s1@u3','branch',1,2,3,5,5,1,1);
INSERT INTO "lines" VALUES(5,3,'s2','trunk',4,0,5,7,9,2,1);
CREATE TABLE mentions (
	entry INTEGER NOT NULL, 
	idx INTEGER NOT NULL, 
	agent_id TEXT NOT NULL, 
	CONSTRAINT pk_mentions PRIMARY KEY (entry, idx, agent_id), 
	CONSTRAINT fk_mentions_entry FOREIGN KEY(entry) REFERENCES entries (id)
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "mentions" VALUES(3,0,'k');
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
	service_tier TEXT, response TEXT, has_plain_text INTEGER, 
	CONSTRAINT pk_messages PRIMARY KEY (entry), 
	CONSTRAINT fk_messages_entry FOREIGN KEY(entry) REFERENCES entries (id)
)
 STRICT

;
INSERT INTO "messages" VALUES(2,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'a1',0);
CREATE TABLE meta (
	"key" TEXT NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_meta PRIMARY KEY ("key")
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "meta" VALUES('ccindex_version','0.1.0');
INSERT INTO "meta" VALUES('decode_version','4');
INSERT INTO "meta" VALUES('derive_version','4');
INSERT INTO "meta" VALUES('prices_version','0.2.2+2026-11-16');
INSERT INTO "meta" VALUES('revision','5');
INSERT INTO "meta" VALUES('views_digest','c7b48fff6c4b0ff7754bf86d3d63df71');
INSERT INTO "meta" VALUES('views_version','1');
CREATE TABLE notices (
	id INTEGER NOT NULL, 
	entry INTEGER, 
	record INTEGER, 
	task_id TEXT NOT NULL, 
	status TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	summary TEXT, 
	result TEXT, 
	CONSTRAINT pk_notices PRIMARY KEY (id), 
	CONSTRAINT ck_notices_ck_notices_told_by CHECK ((entry is null) <> (record is null)), 
	CONSTRAINT ck_notices_ck_notices_kind CHECK (kind in ('task', 'shell', 'agent')), 
	CONSTRAINT fk_notices_entry FOREIGN KEY(entry) REFERENCES entries (id), 
	CONSTRAINT fk_notices_record FOREIGN KEY(record) REFERENCES occurrences (id)
)
 STRICT

;
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
INSERT INTO "occurrences" VALUES(9,3,1,2,218,220,2759228356261758724,9,2,'user',1772442001000,1,1,1,1,0);
CREATE TABLE paths (
	line INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	root INTEGER NOT NULL, 
	leaf INTEGER NOT NULL, 
	fork INTEGER, 
	entry_count INTEGER NOT NULL, 
	compaction_count INTEGER NOT NULL, 
	CONSTRAINT pk_paths PRIMARY KEY (line), 
	CONSTRAINT fk_paths_fork FOREIGN KEY(fork) REFERENCES entries (id), 
	CONSTRAINT fk_paths_leaf FOREIGN KEY(leaf) REFERENCES entries (id), 
	CONSTRAINT fk_paths_line FOREIGN KEY(line) REFERENCES lines (id), 
	CONSTRAINT fk_paths_root FOREIGN KEY(root) REFERENCES entries (id)
)
 STRICT

;
INSERT INTO "paths" VALUES(2,1,1,6,NULL,4,0);
INSERT INTO "paths" VALUES(3,1,1,4,3,4,0);
INSERT INTO "paths" VALUES(5,1,1,9,3,6,0);
CREATE TABLE places (
	entry INTEGER NOT NULL, 
	thread INTEGER NOT NULL, 
	line INTEGER, 
	position INTEGER, 
	reason TEXT, 
	fork INTEGER, 
	parent INTEGER, 
	fork_line INTEGER, 
	CONSTRAINT pk_places PRIMARY KEY (entry), 
	CONSTRAINT ck_places_ck_places_reason CHECK (reason in ('replay', 'structural')), 
	CONSTRAINT ck_places_ck_places_accounted CHECK ((line is null) = (position is null) and (line is null) = (reason is not null) and (line is null) = (fork_line is not null) and (line is not null or fork is not null)), 
	CONSTRAINT fk_places_entry FOREIGN KEY(entry) REFERENCES entries (id), 
	CONSTRAINT fk_places_fork FOREIGN KEY(fork) REFERENCES entries (id), 
	CONSTRAINT fk_places_fork_line FOREIGN KEY(fork_line) REFERENCES lines (id), 
	CONSTRAINT fk_places_line FOREIGN KEY(line) REFERENCES lines (id), 
	CONSTRAINT fk_places_parent FOREIGN KEY(parent) REFERENCES entries (id), 
	CONSTRAINT fk_places_thread FOREIGN KEY(thread) REFERENCES threads (id)
)
 STRICT

;
INSERT INTO "places" VALUES(1,1,1,0,NULL,NULL,NULL,NULL);
INSERT INTO "places" VALUES(2,1,1,1,NULL,NULL,1,NULL);
INSERT INTO "places" VALUES(3,1,1,2,NULL,NULL,2,NULL);
INSERT INTO "places" VALUES(4,1,3,0,NULL,NULL,3,NULL);
INSERT INTO "places" VALUES(5,1,4,0,NULL,NULL,3,NULL);
INSERT INTO "places" VALUES(6,2,2,0,NULL,NULL,3,NULL);
INSERT INTO "places" VALUES(7,3,5,0,NULL,NULL,5,NULL);
INSERT INTO "places" VALUES(9,3,5,1,NULL,NULL,NULL,NULL);
CREATE TABLE queued_words (
	occurrence INTEGER NOT NULL, 
	session INTEGER NOT NULL, 
	entry INTEGER, 
	text TEXT NOT NULL, 
	at INTEGER NOT NULL, 
	removed_by TEXT NOT NULL, 
	removed_at INTEGER NOT NULL, 
	is_before INTEGER NOT NULL, 
	CONSTRAINT pk_queued_words PRIMARY KEY (occurrence), 
	CONSTRAINT ck_queued_words_ck_queued_words_removed_by CHECK (removed_by in ('remove', 'popAll')), 
	CONSTRAINT fk_queued_words_occurrence FOREIGN KEY(occurrence) REFERENCES occurrences (id), 
	CONSTRAINT fk_queued_words_session FOREIGN KEY(session) REFERENCES session_ids (id), 
	CONSTRAINT fk_queued_words_entry FOREIGN KEY(entry) REFERENCES entries (id)
)
 STRICT

;
CREATE TABLE ranks (
	session INTEGER NOT NULL, 
	first_at INTEGER NOT NULL, 
	first_own_at INTEGER, 
	CONSTRAINT pk_ranks PRIMARY KEY (session), 
	CONSTRAINT fk_ranks_session FOREIGN KEY(session) REFERENCES session_ids (id)
)
 STRICT

;
CREATE TABLE rates (
	model TEXT NOT NULL, 
	day TEXT NOT NULL, 
	above INTEGER NOT NULL, 
	input REAL, 
	output REAL, 
	cache_read REAL, 
	cache_write_5m REAL, 
	cache_write_1h REAL, 
	CONSTRAINT pk_rates PRIMARY KEY (model, day, above)
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "rates" VALUES('','2026-03-01',0,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE records (
	occurrence INTEGER NOT NULL, 
	timestamp TEXT, 
	payload TEXT NOT NULL, leaf TEXT, 
	CONSTRAINT pk_records PRIMARY KEY (occurrence), 
	CONSTRAINT fk_records_occurrence FOREIGN KEY(occurrence) REFERENCES occurrences (id)
)
 STRICT

;
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
CREATE TABLE repairs (
	child INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	thread INTEGER NOT NULL, 
	parent INTEGER, 
	rule TEXT, 
	CONSTRAINT pk_repairs PRIMARY KEY (child, kind), 
	CONSTRAINT ck_repairs_ck_repairs_kind CHECK (kind in ('spawn', 'cut')), 
	CONSTRAINT fk_repairs_child FOREIGN KEY(child) REFERENCES entries (id), 
	CONSTRAINT fk_repairs_parent FOREIGN KEY(parent) REFERENCES entries (id), 
	CONSTRAINT fk_repairs_thread FOREIGN KEY(thread) REFERENCES threads (id)
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "repairs" VALUES(6,'spawn',2,3,'mention');
CREATE TABLE responses (
	response TEXT NOT NULL, 
	entry INTEGER NOT NULL, 
	session INTEGER NOT NULL, 
	at INTEGER NOT NULL, 
	model TEXT, 
	entry_count INTEGER NOT NULL, 
	input_tokens INTEGER NOT NULL, 
	output_tokens INTEGER NOT NULL, 
	cache_creation_5m_tokens INTEGER NOT NULL, 
	cache_creation_1h_tokens INTEGER NOT NULL, 
	cache_read_tokens INTEGER NOT NULL, 
	is_final INTEGER NOT NULL, 
	cost INTEGER, parent TEXT, 
	CONSTRAINT pk_responses PRIMARY KEY (response), 
	CONSTRAINT fk_responses_entry FOREIGN KEY(entry) REFERENCES entries (id), 
	CONSTRAINT fk_responses_session FOREIGN KEY(session) REFERENCES session_ids (id)
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "responses" VALUES('a1',2,1,1772355601000,NULL,1,0,0,0,0,0,0,NULL,NULL);
CREATE TABLE roots (
	entry INTEGER NOT NULL, 
	thread INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	is_expected INTEGER NOT NULL, 
	CONSTRAINT pk_roots PRIMARY KEY (entry), 
	CONSTRAINT fk_roots_entry FOREIGN KEY(entry) REFERENCES entries (id), 
	CONSTRAINT fk_roots_thread FOREIGN KEY(thread) REFERENCES threads (id)
)
 STRICT

;
INSERT INTO "roots" VALUES(1,1,'start',1);
INSERT INTO "roots" VALUES(6,2,'agent',1);
INSERT INTO "roots" VALUES(7,3,'resume',1);
INSERT INTO "roots" VALUES(9,3,'orphan',0);
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
CREATE VIRTUAL TABLE search using fts5(prompt, answer, thinking, input, result, other, content = '', tokenize = "unicode61 remove_diacritics 2");
DELETE FROM search_config;
INSERT INTO "search_config" VALUES('version',4);
DELETE FROM search_data;
INSERT INTO "search_data" VALUES(1,X'080C0000010500');
INSERT INTO "search_data" VALUES(10,X'000000000103030003010101020101030101');
INSERT INTO "search_data" VALUES(137438953473,X'0000006A08306167656E74696403060104030104646F6E6503060104020103666F72030601040501016B030601040401046C6F6F6B02060103020108726573756D696E670306010406010373617901020203020201020201027531010203020132040203020133050203040E0B0A080B0F0E0706');
INSERT INTO "search_data" VALUES(274877906945,X'000000130330673106020301037361790602020407');
INSERT INTO "search_data" VALUES(412316860417,X'0000001D04307361790702020202020102763107020301027731090203040B07');
DELETE FROM search_docsize;
INSERT INTO "search_docsize" VALUES(1,X'020000000000');
INSERT INTO "search_docsize" VALUES(2,X'000000010000');
INSERT INTO "search_docsize" VALUES(3,X'000000000500');
INSERT INTO "search_docsize" VALUES(4,X'020000000000');
INSERT INTO "search_docsize" VALUES(5,X'020000000000');
INSERT INTO "search_docsize" VALUES(6,X'020000000000');
INSERT INTO "search_docsize" VALUES(7,X'020000000000');
INSERT INTO "search_docsize" VALUES(9,X'020000000000');
DELETE FROM search_idx;
INSERT INTO "search_idx" VALUES(1,X'',2);
INSERT INTO "search_idx" VALUES(2,X'',2);
INSERT INTO "search_idx" VALUES(3,X'',2);
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
CREATE TABLE sessions (
	session INTEGER NOT NULL, 
	family INTEGER NOT NULL, 
	relation TEXT NOT NULL, 
	parent INTEGER, 
	attachment INTEGER, 
	first_entry INTEGER, 
	last_entry INTEGER, 
	first_prompt INTEGER, 
	title TEXT, 
	entry_count INTEGER NOT NULL, 
	line_count INTEGER NOT NULL, 
	branch_count INTEGER NOT NULL, 
	agent_count INTEGER NOT NULL, 
	compaction_count INTEGER NOT NULL, 
	model_names TEXT, project TEXT, first_at INTEGER, last_at INTEGER, first_words TEXT, worktree TEXT, relocated_from TEXT, relocated_to TEXT, teleported_from TEXT, 
	CONSTRAINT pk_sessions PRIMARY KEY (session), 
	CONSTRAINT ck_sessions_ck_sessions_relation CHECK (relation in ('root', 'continues', 'forks')), 
	CONSTRAINT fk_sessions_attachment FOREIGN KEY(attachment) REFERENCES entries (id), 
	CONSTRAINT fk_sessions_first_entry FOREIGN KEY(first_entry) REFERENCES entries (id), 
	CONSTRAINT fk_sessions_first_prompt FOREIGN KEY(first_prompt) REFERENCES entries (id), 
	CONSTRAINT fk_sessions_last_entry FOREIGN KEY(last_entry) REFERENCES entries (id), 
	CONSTRAINT fk_sessions_parent FOREIGN KEY(parent) REFERENCES session_ids (id), 
	CONSTRAINT fk_sessions_session FOREIGN KEY(session) REFERENCES session_ids (id)
)
 STRICT

;
INSERT INTO "sessions" VALUES(1,1,'root',NULL,NULL,1,5,1,'An old index',6,4,2,1,0,NULL,'-w',1772355600000,1772355720000,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "sessions" VALUES(2,1,'continues',1,5,7,9,7,NULL,2,1,0,0,0,NULL,'-w',1772442000000,1772442001000,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE sidecars (
	source INTEGER NOT NULL, 
	agent_type TEXT, 
	description TEXT, 
	tool_use_id TEXT, 
	payload TEXT NOT NULL, name TEXT, 
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
CREATE TABLE threads (
	id INTEGER NOT NULL, 
	session INTEGER NOT NULL, 
	thread_id TEXT NOT NULL, 
	agent_id TEXT, 
	CONSTRAINT pk_threads PRIMARY KEY (id), 
	CONSTRAINT fk_threads_session FOREIGN KEY(session) REFERENCES session_ids (id)
)
 STRICT

;
INSERT INTO "threads" VALUES(1,1,'s1',NULL);
INSERT INTO "threads" VALUES(2,1,'s1#agent-k','k');
INSERT INTO "threads" VALUES(3,2,'s2',NULL);
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
	facts TEXT, denial_kind TEXT, 
	CONSTRAINT pk_tool_outcomes PRIMARY KEY (entry), 
	CONSTRAINT fk_tool_outcomes_entry FOREIGN KEY(entry) REFERENCES entries (id)
)
 STRICT

;
CREATE TABLE tool_pairs (
	tool_use_id TEXT NOT NULL, 
	session INTEGER NOT NULL, 
	use INTEGER, 
	use_idx INTEGER, 
	result INTEGER, 
	result_idx INTEGER, at INTEGER, 
	CONSTRAINT pk_tool_pairs PRIMARY KEY (tool_use_id, session), 
	CONSTRAINT ck_tool_pairs_ck_tool_pairs_something CHECK (use is not null or result is not null), 
	CONSTRAINT fk_tool_pairs_result FOREIGN KEY(result) REFERENCES entries (id), 
	CONSTRAINT fk_tool_pairs_session FOREIGN KEY(session) REFERENCES session_ids (id), 
	CONSTRAINT fk_tool_pairs_use FOREIGN KEY(use) REFERENCES entries (id)
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "tool_pairs" VALUES('t1',1,2,0,3,0,1772355601000);
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
CREATE TABLE tool_usage (
	session INTEGER NOT NULL, 
	day INTEGER, 
	agent_id TEXT, 
	model TEXT, 
	name TEXT NOT NULL, 
	calls INTEGER NOT NULL, 
	answered INTEGER NOT NULL, 
	failed INTEGER NOT NULL, 
	refused INTEGER NOT NULL, 
	rejections INTEGER NOT NULL, 
	errors INTEGER NOT NULL, 
	durations TEXT NOT NULL, 
	first_at INTEGER NOT NULL, 
	last_at INTEGER NOT NULL, 
	CONSTRAINT fk_tool_usage_session FOREIGN KEY(session) REFERENCES session_ids (id)
)
 STRICT

;
INSERT INTO "tool_usage" VALUES(1,20513,NULL,NULL,'Task',1,1,0,0,0,0,'8000',1772355601000,1772355601000);
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
CREATE TABLE touches (
	entry INTEGER NOT NULL, 
	idx INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	operation TEXT NOT NULL, 
	CONSTRAINT pk_touches PRIMARY KEY (entry, idx, path), 
	CONSTRAINT ck_touches_ck_touches_operation CHECK (operation in ('read', 'write', 'edit', 'notebook', 'search')), 
	CONSTRAINT fk_touches_entry FOREIGN KEY(entry) REFERENCES entries (id)
)
 WITHOUT ROWID,
 STRICT

;
CREATE TABLE usage (
	session INTEGER NOT NULL, 
	day INTEGER, 
	agent_id TEXT, 
	model TEXT, 
	entries INTEGER NOT NULL, 
	spans TEXT NOT NULL, 
	responses INTEGER NOT NULL, 
	input_tokens INTEGER NOT NULL, 
	output_tokens INTEGER NOT NULL, 
	cache_creation_tokens INTEGER NOT NULL, 
	cache_read_tokens INTEGER NOT NULL, 
	priced INTEGER NOT NULL, 
	dollars INTEGER NOT NULL, 
	billionths INTEGER NOT NULL, 
	CONSTRAINT fk_usage_session FOREIGN KEY(session) REFERENCES session_ids (id)
)
 STRICT

;
INSERT INTO "usage" VALUES(1,20513,NULL,NULL,5,'1772355600000,1772355720000',1,0,0,0,0,0,0,0);
INSERT INTO "usage" VALUES(1,20513,'k',NULL,1,'1772355602000,1772355602000',0,0,0,0,0,0,0,0);
INSERT INTO "usage" VALUES(2,20514,NULL,NULL,2,'1772442000000,1772442001000',0,0,0,0,0,0,0,0);
CREATE INDEX ix_diagnostics_source ON diagnostics (source);
CREATE UNIQUE INDEX ix_drift_what ON drift (source, generation, kind, name, type, version);
CREATE INDEX ix_entries_context ON entries (context);
CREATE INDEX ix_sidecars_tool_use_id ON sidecars (tool_use_id);
CREATE UNIQUE INDEX ix_blocks_entry ON blocks (entry, idx);
CREATE INDEX ix_edges_parent ON edges (parent);
CREATE UNIQUE INDEX ix_occurrences_place ON occurrences (source, generation, "offset");
CREATE INDEX ix_occurrences_session ON occurrences (session, at);
CREATE INDEX ix_occurrences_stale ON occurrences (source) WHERE is_current = 0;
CREATE INDEX ix_tool_results_tool_use_id ON tool_results (tool_use_id);
CREATE INDEX ix_tool_uses_tool_use_id ON tool_uses (tool_use_id);
CREATE INDEX ix_threads_session ON threads (session);
CREATE INDEX ix_findings_thread ON findings (thread);
CREATE INDEX ix_lines_line_id ON lines (line_id);
CREATE INDEX ix_lines_parent ON lines (parent);
CREATE INDEX ix_lines_thread ON lines (thread);
CREATE INDEX ix_repairs_parent ON repairs (parent);
CREATE INDEX ix_repairs_thread ON repairs (thread);
CREATE INDEX ix_roots_thread ON roots (thread);
CREATE INDEX ix_sessions_family ON sessions (family);
CREATE INDEX ix_forks_line ON forks (line);
CREATE INDEX ix_forks_thread ON forks (thread);
CREATE INDEX ix_paths_leaf ON paths (leaf);
CREATE INDEX ix_entries_named ON entries (parent_tool_use_id) WHERE named_agent_id is not null;
CREATE INDEX ix_records_leaf ON records (leaf) WHERE leaf is not null;
CREATE INDEX ix_sources_session_hint ON sources (session_hint);
CREATE INDEX ix_agents_thread ON agents (thread);
CREATE INDEX ix_agents_tool_use_id ON agents (tool_use_id);
CREATE INDEX ix_responses_session ON responses (session);
CREATE INDEX ix_tool_pairs_result ON tool_pairs (result) WHERE result is not null;
CREATE INDEX ix_tool_pairs_session ON tool_pairs (session);
CREATE INDEX ix_messages_response ON messages (response);
CREATE INDEX ix_tool_uses_name ON tool_uses (name);
CREATE INDEX ix_usage_session ON usage (session);
CREATE INDEX ix_tool_usage_session ON tool_usage (session);
CREATE INDEX ix_sessions_last_at ON sessions (last_at);
CREATE INDEX ix_tool_pairs_at ON tool_pairs (at);
CREATE INDEX ix_places_fork ON places (fork) WHERE fork is not null;
CREATE INDEX ix_places_line ON places (line, position) WHERE line is not null;
CREATE INDEX ix_places_parent ON places (parent) WHERE parent is not null;
CREATE INDEX ix_notices_entry ON notices (entry);
CREATE INDEX ix_notices_record ON notices (record);
CREATE INDEX ix_notices_task_id ON notices (task_id);
CREATE INDEX ix_junctions_target ON junctions (target);
CREATE INDEX ix_junctions_thread ON junctions (thread);
CREATE INDEX ix_occurrences_records ON occurrences (session, type) WHERE entry is null;
CREATE INDEX ix_iterations_response ON iterations (response);
CREATE INDEX ix_touches_path ON touches (path);
CREATE INDEX ix_occurrences_entry ON occurrences (entry, session);
CREATE INDEX ix_queued_words_session ON queued_words (session);
CREATE INDEX ix_queued_words_entry ON queued_words (entry);
COMMIT;
