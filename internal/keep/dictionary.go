package keep

// dictionaryID names the dictionary in blocks. A changed dictionary needs another number,
// and the old one for what was kept with it.
const dictionaryID = 1

// dictionary is what entries have in common, so that a block of one is small, too. What is
// most usual stands last.
const dictionary = `{"does":"connect","scheme":"https","host":"","port":443,"class":"public","method":"GET","sends":["file:","env:"],"receives":["run"]}` +
	`{"does":"git","by":"git","at":{"from":0,"to":},"sure":true,"remote":"origin","verb":"push","ref":"main","force":true,"deletes":true,"uncommitted":true}` +
	`{"does":"execute","by":"bash","from":"file","language":"sh"},{"does":"package","manager":"npm","verb":"install","name":"","source":"registry"}` +
	`{"does":"unknown","because":""},{"does":"delete","recursive":true,"glob":true,"many":true},{"does":"write","creates":true,"inside":"/","scope":"temp"}` +
	`"verdict":{"action":"block","by":"hookway/guards","rule":"files/delete-outside@1","reason":"hookway, which the user installed, stopped this call: "},` +
	`"hook_event_name":"SessionStart","source":"startup","model":"claude-","hook_event_name":"SessionEnd","reason":"other","hook_event_name":"AgentStart","prompt":"` +
	`"hook_event_name":"AgentStop","stop_hook_active":false,"last_assistant_message":"","hook_event_name":"Notification","message":""` +
	`"tool_response":{"success":true,"output":"","stdout":"","stderr":"","interrupted":false,"isImage":false,"exit_code":0},"duration_ms":` +
	`"tool_name":"Read","tool_input":{"file_path":"/home/","offset":0,"limit":100},"tool_name":"Edit","tool_input":{"file_path":"","old_string":"","new_string":"","replace_all":false}` +
	`"tool_name":"Write","tool_input":{"content":"","file_path":""},"tool_name":"Grep","tool_input":{"pattern":"","path":"","output_mode":"content"}` +
	`{"v":1,"event":{"hook_event_name":"PostToolUse","session_id":"","transcript_path":"/home/user/.claude/projects/-home-user-project/.jsonl","cwd":"/home/user/project","permission_mode":"default",` +
	`{"v":1,"event":{"hook_event_name":"PreToolUse","session_id":"","transcript_path":"/home/user/.claude/projects/-home-user-project/.jsonl","cwd":"/home/user/project",` +
	`"tool_name":"Bash","tool_input":{"command":"git status && go test ./... ","description":"Run the tests"},"tool_use_id":"toolu_01","permission_mode":"default",` +
	`"event_id":"019","time":"2026-11-","agent":"claude","source":"claude","metadata":{"native_event":"PreToolUse"}},"workspace":"/home/user/project",` +
	`"analyses":[{"facts":[{"does":"read","by":"cat","at":{"from":0,"to":},"sure":true,"path":"/home/user/project/","inside":"/","scope":"project"},` +
	`{"does":"run","by":"","at":{"from":0,"to":},"sure":true,"program":"","args":["-"],"sub":"","scope":"project"}],` +
	`"seen":{"dir":"/home/user/project","home":"/home/user","project":"/home/user/project","env":{"HOME":"/home/user"},"looks":[["link","/home"],["link","/home/user"],["link","/home/user/project"],["stat","/home/user/project/","file"],["read","","65537",""],["list",""]]}}],` +
	`"judged":true,"verdict":{"action":"continue"}}`
