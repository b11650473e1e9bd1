package facts

import (
	"slices"
	"strings"
)

// Passwords on command lines have no shape: only the program, the option or the place among
// the words says what they are. A Redactor looks at the words behind the names of programs
// that take some.

// how says which part of a word is the secret.
type how string

// The parts.
const (
	allOfIt      how = ""
	afterColon   how = "user"    // user:password
	afterPercent how = "percent" // user%password
	afterComma   how = "comma"   // user,password
	afterEqual   how = "pair"    // name=value
	afterPass    how = "pass"    // pass:password
	afterSlash   how = "slash"   // user/password@database
)

// secretTaker says where a program takes secrets.
type secretTaker struct {
	names string // divided by spaces

	// options are those with secrets, each with the part that is one, as "-u:user". One letter
	// may have its value in the same word.
	options string
	takes   string // letters of other options with a value
	joined  bool   // one letter has its value in the same word, or none
	only    string // words of which one must be there: "-p" says something else otherwise

	// places are words that are secrets, as "login+1": the first behind the word login; "+2" is
	// the second of all. With "=" behind it what follows the sign.
	places  string
	named   bool // a word that is the name of a secret is followed by it
	capital bool // if it is in capitals
}

// secretTakers is all of them.
var secretTakers = []secretTaker{
	{names: "curl", options: "-u:user -U:user --user:user --proxy-user:user --pass --proxy-pass --oauth2-bearer --tlspassword --proxy-tlspassword -b:pair --cookie:pair", takes: "AcCdDeEFhHKmoPQrtTwxXyYz"},
	{names: "http https xh xhs", options: "-a:user --auth:user --session-auth:user", takes: "Aosv"},
	{names: "wget wget2 aria2c", options: "--http-passwd --ftp-passwd --rpc-secret"},
	{names: "mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlbinlog mysqlsh mariadb mariadb-dump mariadb-admin mycli", options: "-p", takes: "uhPDeSV", joined: true},
	{names: "mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop", options: "-p", takes: "uhdcofq"},
	{names: "redis-cli valkey-cli keydb-cli", options: "-a --pass", takes: "hpnrisuDdx"},
	{names: "sshpass", options: "-p", takes: "fdP"},
	{names: "docker podman nerdctl buildah skopeo helm crane oras regctl az oc cf vercel netlify", options: "-p --creds:user --src-creds:user --dest-creds:user", takes: "ustc", only: "login"},
	{names: "skopeo podman buildah", options: "--creds:user --src-creds:user --dest-creds:user"},
	{names: "cf", places: "auth+2"}, {names: "vault", places: "login+1 put+2= put+3= put+4="}, {names: "cargo wandb", places: "login+1"}, {names: "snyk", places: "auth+1"},
	{names: "ngrok", places: "authtoken+1 add-authtoken+1"}, {names: "wpa_passphrase", places: "+2"}, {names: "rabbitmqctl", places: "add_user+2 change_password+2 authenticate_user+2"},
	{names: "mysqladmin", places: "password+1"}, {names: "mc", places: "set+3 set+4"}, {names: "net", places: "user+2", options: "-U:percent"},
	{names: "kubectl oc", options: "--from-literal:pair"}, {names: "fly flyctl", places: "set+1= set+2= set+3="}, {names: "gh", options: "-b --body", only: "secret"},
	{names: "htpasswd", takes: "Cr", only: "-b", places: "-1"}, {names: "openssl", options: "-pass:pass -passin:pass -passout:pass -password:pass -k -K -hmac -macopt:pair"},
	{names: "useradd usermod", options: "-p", takes: "bcdefgGksuR"}, {names: "smbclient rpcclient winexe smbget", options: "-U:percent", takes: "IWpmcLDOSt"},
	{names: "ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami ldappasswd ldapcompare", options: "-w -s", takes: "DHbhpfloOUXYZz", only: "-w"},
	{names: "lftp", options: "-u:comma", takes: "pe"}, {names: "sqlcmd bcp ipmitool mosquitto_pub mosquitto_sub zip unzip", options: "-P", takes: "SUdDiIHhQqtmCLcbn"},
	{names: "sqlplus expdp impdp sqlldr", places: "+1/"}, {names: "cqlsh rdesktop twine psexec", options: "-p", takes: "uhkdgar"}, {names: "influx influxdb", options: "-password -p", takes: "tuho"},
	{names: "7z 7za 7zr rar unrar", options: "-p -hp", joined: true}, {names: "keytool jarsigner apksigner", options: "-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass -new --ks-pass:pass --key-pass:pass"},
	{names: "gpg gpg2", options: "--passphrase"}, {names: "etcdctl", options: "--user:user"}, {names: "snmpwalk snmpget snmpset", options: "-A -X -c", takes: "vualxnEe"},
	{names: "nuget dotnet choco", options: "-k -ApiKey -Password", takes: "stucnv"}, {names: "doctl", options: "-t", only: "auth"}, {names: "surge vercel codecov", options: "-t", takes: "fFRCB"},
	{names: "aws npm yarn pnpm pip pip3 git composer poetry nmcli firebase pulumi conda bundle gcloud heroku supabase", named: true}, {names: "setenv set", named: true, capital: true},
	{names: "ConvertTo-SecureString", options: "-String", places: "+1"}, {names: "xfreerdp", options: "/p"}, {names: "cmdkey", options: "/pass"},
}

// Bounds of one command.
const (
	mostWords     = 64
	mostOfCommand = 4 << 10
	mostBefore    = 256 // a text that it is given
)

// argument is a part of a command, without the quotes around it.
type argument struct{ from, to int }

// commandLines are recognisers of the names of programs.
func commandLines() (all []*recogniser) {
	by := map[string][]*secretTaker{}
	var names []string
	for i := range secretTakers {
		for name := range strings.FieldsSeq(secretTakers[i].names) {
			if by[name] == nil {
				names = append(names, name)
			}
			by[name] = append(by[name], &secretTakers[i])
		}
	}
	for _, name := range names {
		all = append(all, &recogniser{literals: []string{asciiLower(name)}, open: true, likely: isProgram, all: func(s string, at int) ([]suspect, int) {
			words, to := wordsOf(s, at, at+len(name))
			var out []suspect
			for _, p := range by[name] {
				out = p.secrets(out, s, words)
			}
			return out, to
		}})
	}
	for _, name := range []string{"echo", "printf"} {
		all = append(all, &recogniser{literals: []string{name}, open: true, likely: isProgram, all: func(s string, at int) ([]suspect, int) { return fedTo(s, at, at+len(name)) }})
	}
	return append(all, &recogniser{literals: []string{"<<<"}, open: true, all: here, back: mostBefore},
		&recogniser{literals: []string{"pass=", "pin=", "auth=", "dsn=", "key=", "cookie=", "cookies="}, open: true, all: variable})
}

// isProgram reports whether the name of a program stands here, and words follow.
func isProgram(low string, at, end int) bool {
	if at > 0 && (letter(low[at-1]) || strings.IndexByte("-.=:@", low[at-1]) >= 0) {
		return false
	}
	rest := strings.TrimPrefix(low[end:min(len(low), end+8)], ".exe")
	return len(rest) > 1 && (rest[0] == ' ' || rest[0] == '\t' || (rest[0] == '"' || rest[0] == '\'') && (rest[1] == ',' || rest[1] == ' '))
}

// lexer takes a command apart into words.
type lexer struct {
	s     string
	at    int
	end   int
	outer string // the quote around the command
	list  bool   // its words are a list: "curl", "-u", "a:b"
}

// wordsOf are the words behind the name of a program, and where they end.
func wordsOf(s string, at, end int) (words []argument, to int) {
	l := &lexer{s: s, at: end, end: min(len(s), end+mostOfCommand)}
	if strings.HasPrefix(asciiLower(s[end:min(len(s), end+4)]), ".exe") {
		l.at += 4
	}
	begin := at
	for begin > 0 && (letter(s[begin-1]) || strings.IndexByte("/.-~", s[begin-1]) >= 0) && at-begin < 256 { // of the program's path
		begin--
	}
	if begin > 0 && (s[begin-1] == '"' || s[begin-1] == '\'') {
		l.outer = s[begin-1 : begin]
		if begin > 1 && s[begin-2] == '\\' {
			l.outer = s[begin-2 : begin]
		}
	}
	if l.outer != "" && strings.HasPrefix(s[l.at:], l.outer) {
		l.at += len(l.outer)
		l.list, l.outer = strings.HasPrefix(strings.TrimLeft(s[l.at:min(len(s), l.at+4)], " "), ","), ""
	}
	for len(words) < mostWords {
		w, ok := l.next()
		if !ok {
			break
		}
		words = append(words, w)
	}
	return words, l.at
}

// next is the next word.
func (l *lexer) next() (w argument, ok bool) {
	for l.at < l.end && (strings.IndexByte(" \t", l.s[l.at]) >= 0 || l.list && strings.IndexByte(",\n\r", l.s[l.at]) >= 0 || strings.HasPrefix(l.s[l.at:], "\\\n")) {
		if l.s[l.at] == '\\' {
			l.at++
		}
		l.at++
	}
	w.from = l.at
	for l.at < l.end && !l.over() {
		if n := l.quoted(); n > 0 {
			l.at += n
			continue
		}
		l.at++
	}
	if w.to = l.at; w.to == w.from {
		return w, false
	}
	return l.bare(w), true
}

// over reports whether a word ends here.
func (l *lexer) over() bool {
	c := l.s[l.at]
	if l.list {
		return strings.IndexByte(" \t,\n\r])};", c) >= 0
	}
	return strings.IndexByte(" \t\n\r;|&)`", c) >= 0 || l.outer != "" && strings.HasPrefix(l.s[l.at:], l.outer)
}

// quoted is how long what begins here is, if it is quoted, escaped, or a command of its own.
func (l *lexer) quoted() int {
	rest := l.s[l.at:l.end]
	switch {
	case strings.HasPrefix(rest, `\"`) || strings.HasPrefix(rest, `\'`):
		if i := strings.Index(rest[2:], rest[:2]); i >= 0 {
			return i + 4
		}
		return 2
	case rest[0] == '\\':
		return min(2, len(rest))
	case rest[0] == '"' || rest[0] == '\'':
		for i := 1; i < len(rest); i++ {
			if rest[i] == rest[0] {
				return i + 1
			}
			if rest[i] == '\\' && rest[0] == '"' {
				i++
			}
		}
		return 1
	case strings.HasPrefix(rest, "$("):
		for i, depth := 1, 0; i < len(rest); i++ {
			switch rest[i] {
			case '(':
				depth++
			case ')':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return 2
	}
	return 0
}

// bare is a word without the quotes around all of it.
func (l *lexer) bare(w argument) argument { return bare(l.s, w) }

func bare(s string, w argument) argument {
	for _, q := range []string{`\"`, `\'`, `"`, `'`} {
		if text := s[w.from:w.to]; len(text) >= 2*len(q) && strings.HasPrefix(text, q) && strings.HasSuffix(text, q) && strings.Count(text, q) == 2 {
			return argument{w.from + len(q), w.to - len(q)}
		}
	}
	return w
}

// secrets adds those among the words of a program.
func (p *secretTaker) secrets(out []suspect, s string, words []argument) []suspect {
	if !p.applies(s, words) {
		return out
	}
	var plain []argument
	for i := 0; i < len(words); i++ {
		text := s[words[i].from:words[i].to]
		if len(text) < 2 || text[0] != '-' && (text[0] != '/' || !strings.Contains(p.options, "/")) {
			plain = append(plain, words[i])
			continue
		}
		part, value, next := p.option(s, words[i])
		switch {
		case next && i+1 < len(words):
			if i++; part != "none" {
				out = secretIn(out, s, words[i], part)
			}
		case value.to > value.from:
			out = secretIn(out, s, bare(s, value), part)
		}
	}
	for place := range strings.FieldsSeq(p.places) {
		out = p.place(out, s, plain, place)
	}
	if p.named {
		out = p.settings(out, s, plain)
	}
	return out
}

// applies reports whether a word is there without which the options say something else.
func (p *secretTaker) applies(s string, words []argument) bool {
	if p.only == "" {
		return true
	}
	plain := 0
	for _, w := range words {
		text := s[w.from:w.to]
		option := strings.HasPrefix(text, "-")
		switch {
		case option && len(p.only) == 2 && p.only[0] == '-': // one letter, also among others
			if len(text) > 1 && text[1] != '-' && strings.IndexByte(text, p.only[1]) > 0 {
				return true
			}
		case text == p.only:
			return plain < 2 // a sub-command
		case !option:
			if plain++; text == "run" || text == "exec" { // what follows is another's
				return false
			}
		}
	}
	return false
}

// option finds the value of an option: in its own word, or the next one. The part "none" is
// of one that is no secret.
func (p *secretTaker) option(s string, w argument) (part how, value argument, next bool) {
	text := s[w.from:w.to]
	name, _, assigned := strings.Cut(text, "=")
	if strings.HasPrefix(text, "/") {
		name, _, assigned = strings.Cut(text, ":")
	}
	for one := range strings.FieldsSeq(p.options) {
		is, part, _ := strings.Cut(one, ":")
		switch {
		case len(is) > 2 && is == name:
			if assigned {
				return how(part), argument{w.from + len(name) + 1, w.to}, false
			}
			return how(part), value, !p.joined
		case len(is) > 2 && p.joined && strings.HasPrefix(text, is):
			return how(part), argument{w.from + len(is), w.to}, false
		}
	}
	if strings.HasPrefix(text, "--") || text[0] == '/' {
		return "none", value, false
	}
	return p.letters(text, w)
}

// letters finds the value of a letter among some that stand behind one dash.
func (p *secretTaker) letters(text string, w argument) (part how, value argument, next bool) {
	for i := 1; i < len(text); i++ {
		if !letter(text[i]) {
			break
		}
		for one := range strings.FieldsSeq(p.options) {
			is, part, _ := strings.Cut(one, ":")
			if len(is) != 2 || is[1] != text[i] {
				continue
			}
			if i+1 < len(text) {
				from := w.from + i + 1
				if text[i+1] == '=' {
					from++
				}
				return how(part), argument{from, w.to}, false
			}
			return how(part), value, !p.joined
		}
		if strings.IndexByte(p.takes, text[i]) >= 0 {
			return "none", value, i+1 == len(text)
		}
	}
	return "none", value, false
}

// place adds the word at a place.
func (p *secretTaker) place(out []suspect, s string, plain []argument, place string) []suspect {
	if place == "-1" {
		if len(plain) > 1 {
			out = secretIn(out, s, plain[len(plain)-1], allOfIt)
		}
		return out
	}
	behind, rest, _ := strings.Cut(place, "+")
	n, part := int(rest[0]-'0'), allOfIt
	if len(rest) > 1 {
		part = map[byte]how{'=': afterEqual, '/': afterSlash}[rest[1]]
	}
	at := -1
	if behind != "" {
		if at = slices.IndexFunc(plain, func(w argument) bool { return s[w.from:w.to] == behind }); at < 0 {
			return out
		}
	}
	if at += n; at < len(plain) {
		out = secretIn(out, s, plain[at], part)
	}
	return out
}

// secretSettings end the names of settings that are secrets.
var secretSettings = []string{"password", "passwd", "passphrase", "secret", "token", "apikey", "secretkey", "accesskey", "privatekey", "authorization", "credential", "credentials", "cookie", "pwd", "psk", "_auth", "api_key", "secret_key", "access_key", "private_key", "api-key"}

// settingWords are those of which one comes before the name of a setting.
var settingWords = []string{"set", "config", "configure", "config:set", "connect", "modify", "add"}

// settings adds the words behind names of secrets: set aws_secret_access_key x.
func (p *secretTaker) settings(out []suspect, s string, plain []argument) []suspect {
	ready := p.capital
	for i := 0; i+1 < len(plain); i++ {
		name := s[plain[i].from:plain[i].to]
		low := asciiLower(name)
		secret := slices.ContainsFunc(secretSettings, func(end string) bool { return strings.HasSuffix(low, end) }) || strings.Contains(low, "-token.")
		if ready && secret && !strings.ContainsAny(name, " =") && (!p.capital || name == strings.ToUpper(name)) {
			i++
			out = secretIn(out, s, plain[i], allOfIt)
		}
		ready = ready || slices.Contains(settingWords, name)
	}
	return out
}

// secretIn adds the part of a word that is a secret.
func secretIn(out []suspect, s string, w argument, part how) []suspect {
	text := s[w.from:w.to]
	cut := func(sign string) bool {
		i := strings.Index(text, sign)
		if i < 0 {
			return false
		}
		w.from += i + len(sign)
		return true
	}
	ok := true
	switch part {
	case "none":
		return out
	case afterColon:
		ok = cut(":") && !strings.HasPrefix(s[w.from:w.to], "//")
	case afterPercent:
		ok = cut("%")
	case afterComma:
		ok = cut(",")
	case afterEqual:
		ok = cut("=")
	case afterPass:
		ok = strings.HasPrefix(text, "pass:") && cut(":")
	case afterSlash:
		if ok = text[0] != '/' && cut("/"); ok {
			if i := strings.LastIndexByte(s[w.from:w.to], '@'); i >= 0 {
				w.to = w.from + i
			}
		}
	}
	if w = bare(s, w); !ok || w.from >= w.to || namesPlace(s[w.from:w.to]) {
		return out
	}
	return append(out, suspect{w.from, w.to, ""})
}

// namesPlace reports whether a value only says where the secret is: $TOKEN, $(pass show x),
// <token>, @file, -.
func namesPlace(value string) bool {
	if value == "-" || value[0] == '@' || strings.HasPrefix(value, "file:") || strings.HasPrefix(value, "env:") || strings.HasPrefix(value, "-") {
		return true
	}
	if len(value) > 2 && value[0] == '%' && value[len(value)-1] == '%' {
		return true
	}
	for _, begin := range []string{"$(", "${", "{{", "`"} {
		if strings.HasPrefix(value, begin) {
			return true
		}
	}
	if value[0] == '$' && len(value) > 1 && span(value[1:], letter) == len(value)-1 && (value[1] < '0' || value[1] > '9') {
		return true
	}
	return value[0] == '<' && value[len(value)-1] == '>'
}

// fedTo finds what is printed for a program that reads a secret.
func fedTo(s string, at, end int) (out []suspect, to int) {
	words, to := wordsOf(s, at, end)
	i := to + span(s[to:min(len(s), to+16)], isBlank)
	if i >= len(s) || s[i] != '|' {
		return nil, to
	}
	part, ok := readsSecret(s, i+1)
	if !ok {
		return nil, to
	}
	for n, w := range words {
		text := s[w.from:w.to]
		format := n < len(words)-1 && strings.HasPrefix(text, "%") // of printf
		if !strings.HasPrefix(text, "-") && !format {
			out = secretIn(out, s, w, part)
		}
	}
	return out, to
}

// here finds what is given to a program that reads a secret: chpasswd <<< a:b.
func here(s string, at int) (out []suspect, to int) {
	if at == 0 || !isBlank(s[at-1]) || at+3 < len(s) && s[at+3] == '<' {
		return nil, at + 3
	}
	begin := at - span(reversed(s[max(0, at-mostBefore):at]), func(c byte) bool { return strings.IndexByte("\n;|&(", c) < 0 })
	if part, ok := readsSecret(s[:at], begin); ok {
		l := &lexer{s: s, at: at + 3, end: min(len(s), at+mostOfCommand)}
		if w, ok := l.next(); ok {
			return secretIn(nil, s, w, part), l.at
		}
	}
	return nil, at + 3
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// readsSecret reports whether the command that begins at a place reads a secret, and which part of
// what it reads that is.
func readsSecret(s string, at int) (part how, ok bool) {
	at += span(s[at:min(len(s), at+16)], isBlank)
	words, _ := wordsOf(s, at, at)
	for i, w := range words {
		text := s[w.from:w.to]
		name := text[strings.LastIndexAny(text, `/\`)+1:]
		rest := words[i+1:]
		has := func(want string) bool {
			return slices.ContainsFunc(rest, func(w argument) bool {
				text := s[w.from:w.to]
				return text == want || len(want) == 2 && len(text) > 2 && text[0] == '-' && text[1] != '-' && want[0] == '-' && strings.IndexByte(text, want[1]) > 0
			})
		}
		switch {
		case name == "chpasswd":
			return afterColon, true
		case slices.Contains([]string{"passwd", "smbpasswd", "cryptsetup", "su", "kinit"}, name):
			return allOfIt, true
		case name == "sudo" && (has("-S") || has("--stdin")):
			return allOfIt, true
		case has("--password-stdin") || has("--with-token") || has("--passphrase-fd") || has("--passphrase-file=-") || has("--token-stdin"):
			return allOfIt, true
		case name == "openssl" && has("stdin"), name == "htpasswd" && has("-i"), name == "vault" && has("login") && has("-"):
			return allOfIt, true
		case has("secret") && (has("create") || has("set") || has("put")), name == "pass" && has("insert"):
			return allOfIt, true
		case name == "sudo" || strings.Contains(name, "="): // the program comes behind it
			continue
		}
		return "", false
	}
	return "", false
}

// variable finds what is assigned to a variable whose name, in capitals, says that it is
// secret.
func variable(s string, at int) (out []suspect, to int) {
	begin := at
	for begin > 0 && letter(s[begin-1]) && at-begin < 64 {
		begin--
	}
	sign := at + strings.IndexByte(s[at:], '=')
	name := s[begin:sign]
	if name != strings.ToUpper(name) || begin > 0 && strings.IndexByte(" \t\n\r;|&(\"'`:", s[begin-1]) < 0 {
		return nil, sign + 1
	}
	l := &lexer{s: s, at: sign + 1, end: min(len(s), sign+mostOfCommand)}
	if begin > 0 && (s[begin-1] == '"' || s[begin-1] == '\'') {
		l.outer = s[begin-1 : begin]
	}
	if sign+1 >= len(s) || isBlank(s[sign+1]) {
		return nil, sign + 1
	}
	w, ok := l.next()
	if !ok {
		return nil, l.at
	}
	value := s[w.from:w.to]
	switch end := name[strings.LastIndexByte(name, '_')+1:]; {
	case strings.HasSuffix(end, "KEY"):
		if len(value) < 12 || !notAWord(value) {
			return nil, l.at
		}
	case end == "PIN":
		if len(value) < 4 || strings.Trim(value, "0123456789") != "" {
			return nil, l.at
		}
	case end == "AUTH" && len(value) < 6, strings.HasSuffix(end, "PASS") && end != "PASS" && !notAWord(value):
		return nil, l.at
	case !slices.Contains([]string{"PASS", "AUTH", "DSN", "COOKIE", "COOKIES"}, end) && !strings.HasSuffix(end, "PASS"): // as SPIN
		return nil, l.at
	}
	return secretIn(nil, s, w, allOfIt), l.at
}
