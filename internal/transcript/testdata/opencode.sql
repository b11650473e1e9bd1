CREATE TABLE `session` (
  `id` text PRIMARY KEY,
  `project_id` text NOT NULL,
  `workspace_id` text,
  `parent_id` text,
  `slug` text NOT NULL,
  `directory` text NOT NULL,
  `path` text,
  `title` text NOT NULL,
  `version` text NOT NULL,
  `share_url` text,
  `summary_additions` integer,
  `summary_deletions` integer,
  `summary_files` integer,
  `summary_diffs` text,
  `metadata` text,
  `cost` real DEFAULT 0 NOT NULL,
  `tokens_input` integer DEFAULT 0 NOT NULL,
  `tokens_output` integer DEFAULT 0 NOT NULL,
  `tokens_reasoning` integer DEFAULT 0 NOT NULL,
  `tokens_cache_read` integer DEFAULT 0 NOT NULL,
  `tokens_cache_write` integer DEFAULT 0 NOT NULL,
  `revert` text,
  `permission` text,
  `agent` text,
  `model` text,
  `time_created` integer NOT NULL,
  `time_updated` integer NOT NULL,
  `time_compacting` integer,
  `time_archived` integer
  );
INSERT INTO session VALUES ('ses_dfcd3acd1ffeZW0QpWfbIqUk2D','global',NULL,NULL,'curious-squid','/home/user/project','home/user/project','Done.','1.18.33',NULL,0,0,0,NULL,NULL,0.0,3000,60,0,0,0,NULL,NULL,'build','{"id":"scripted","providerID":"scripted"}',1795349566254,1795349581590,NULL,NULL);
CREATE TABLE `message` (
  `id` text PRIMARY KEY,
  `session_id` text NOT NULL,
  `time_created` integer NOT NULL,
  `time_updated` integer NOT NULL,
  `data` text NOT NULL
  );
INSERT INTO message VALUES ('msg_2032c5cf0001zYMSIQ1KOeqTkC','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349568752,1795349579387,'{"role":"user","time":{"created":1795349568752},"agent":"build","model":{"providerID":"scripted","modelID":"scripted"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES ('msg_2032c5e2f001eumwTUiPI6LFAt','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349569071,1795349578638,'{"parentID":"msg_2032c5cf0001zYMSIQ1KOeqTkC","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/user/project","root":"/"},"cost":0,"tokens":{"total":1020,"input":1000,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"scripted","providerID":"scripted","time":{"created":1795349569071,"completed":1795349578628},"finish":"tool-calls"}');
INSERT INTO message VALUES ('msg_2032c839a001uGbR6pQPQHRhZa','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349578650,1795349579309,'{"parentID":"msg_2032c5cf0001zYMSIQ1KOeqTkC","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/user/project","root":"/"},"cost":0,"tokens":{"total":1020,"input":1000,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"scripted","providerID":"scripted","time":{"created":1795349578650,"completed":1795349579260},"finish":"stop"}');
INSERT INTO message VALUES ('msg_2032c892500154gL9dYjhbkzTL','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349580069,1795349581608,'{"role":"user","time":{"created":1795349580069},"agent":"build","model":{"providerID":"scripted","modelID":"scripted"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES ('msg_2032c8977001ASr1drzcPd8cas','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349580151,1795349581575,'{"parentID":"msg_2032c892500154gL9dYjhbkzTL","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/user/project","root":"/"},"cost":0,"tokens":{"total":1020,"input":1000,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"scripted","providerID":"scripted","time":{"created":1795349580151,"completed":1795349581573},"finish":"stop"}');
CREATE TABLE `part` (
  `id` text PRIMARY KEY,
  `message_id` text NOT NULL,
  `session_id` text NOT NULL,
  `time_created` integer NOT NULL,
  `time_updated` integer NOT NULL,
  `data` text NOT NULL
  );
INSERT INTO part VALUES ('prt_2032c5d0a001BU0AfEnB8FlAxX','msg_2032c5cf0001zYMSIQ1KOeqTkC','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349568840,1795349568855,'{"type":"text","text":"Please begin."}');
INSERT INTO part VALUES ('prt_2032c6f4d001ilSRoGivJvLzUd','msg_2032c5e2f001eumwTUiPI6LFAt','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349573453,1795349573455,'{"type":"step-start"}');
INSERT INTO part VALUES ('prt_2032c6f50001M6hMo51Dz0n3Wx','msg_2032c5e2f001eumwTUiPI6LFAt','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349573456,1795349573684,'{"type":"text","text":"I begin.\n\n- one\n- @deploy:list in a list\n\n```\n@deploy:no in a fence\n```\n\n> @deploy:quote in a quote\n\nWide 日本語 and é and 👩‍💻.\n\n@deploy:staging Release v1.2.3\n\nThe end of it.","time":{"start":1795349573456,"end":1795349573682}}');
INSERT INTO part VALUES ('prt_2032c6f8c001YJS2W8WcA1NwkN','msg_2032c5e2f001eumwTUiPI6LFAt','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349573516,1795349578618,'{"type":"tool","tool":"bash","callID":"call_000003","state":{"status":"completed","input":{"command":"echo of the tool","description":"Run what was asked for"},"output":"of the tool\n","metadata":{"output":"of the tool\n","exit":0,"truncated":false},"title":"echo of the tool","time":{"start":1795349573588,"end":1795349578617}}}');
INSERT INTO part VALUES ('prt_2032c837d001G5KGYz4WChMMLA','msg_2032c5e2f001eumwTUiPI6LFAt','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349578621,1795349578623,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":1020,"input":1000,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_2032c859a001k3lGTsWuQyxGYk','msg_2032c839a001uGbR6pQPQHRhZa','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349579162,1795349579178,'{"type":"step-start"}');
INSERT INTO part VALUES ('prt_2032c85ab001QYeXXbZqNkITOF','msg_2032c839a001uGbR6pQPQHRhZa','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349579180,1795349579215,'{"type":"text","text":"The tool has run.\n\n@deploy:staging Release v1.2.3","time":{"start":1795349579179,"end":1795349579213}}');
INSERT INTO part VALUES ('prt_2032c85ea001duw0F3zBhQSwIH','msg_2032c839a001uGbR6pQPQHRhZa','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349579242,1795349579243,'{"reason":"stop","type":"step-finish","tokens":{"total":1020,"input":1000,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_2032c8926001iW3etomlKfIqnA','msg_2032c892500154gL9dYjhbkzTL','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349580082,1795349580083,'{"type":"text","text":"And again."}');
INSERT INTO part VALUES ('prt_2032c8e9a001vgY9pojYR58LXZ','msg_2032c8977001ASr1drzcPd8cas','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349581466,1795349581469,'{"type":"step-start"}');
INSERT INTO part VALUES ('prt_2032c8eb0001PTJFA8XX93fYci','msg_2032c8977001ASr1drzcPd8cas','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349581488,1795349581534,'{"type":"text","text":"Second turn.\n\n@deploy:staging Release v1.2.3\n\nGood bye.","time":{"start":1795349581488,"end":1795349581527}}');
INSERT INTO part VALUES ('prt_2032c8ee9001FJzlRH0nKq93Vx','msg_2032c8977001ASr1drzcPd8cas','ses_dfcd3acd1ffeZW0QpWfbIqUk2D',1795349581546,1795349581547,'{"reason":"stop","type":"step-finish","tokens":{"total":1020,"input":1000,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
