package guards

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How sure it is that somebody is addressed who reads for others.
const (
	named    = 1 // the text speaks of one
	expected = 2 // and says what such a one must do
	spokenTo = 3 // and speaks to it
	alone    = 4 // and to nobody else: to who reads this very text for another
)

// conditions are those callers that say in which case a text is meant. People have the
// names of some programs.
var (
	conditions  = []string{"if you are an", "if you are a", "if you're an", "if you're a", "if you are the", "if you're the", "if you're", "if you are", "if you, as an", "if you happen to be an", "if you happen to be a", "wenn du als", "wenn sie als", "falls du als", "falls sie als", "wenn du ein", "wenn du eine", "si tu es un", "si eres un", "se sei un", "se você é um", "si vous êtes un", "si tu es une", "si eres una", "se sei una", "se você é uma", "als je een", "als u een", "jeśli jesteś"}
	salutations = []string{"dear", "gentile", "estimado", "estimada", "beste", "geachte", "kära", "kjære", "kære", "sehr geehrte", "sehr geehrter", "liebe", "lieber", "cher", "chère", "caro", "cara", "querido", "querida", "prezado", "prezada", "szanowny", "sayın", "уважаемый", "уважаемая", "дорогой", "ажаемый", "ажаемая", "kepada"}
	people      = []string{"claude", "gemini", "codex", "bot"}
)

// beforeNames stand before the name of one who is spoken to.
var (
	callers = append(salutations, []string{"hey", "hello", "hi", "@", "if a", "if an", "attention", "if you are an", "if you are a", "if you're an", "if you're a", "if you are the", "if you're the", "if you're", "if you are", "if you, as an", "wenn du als", "wenn sie als", "falls du als", "falls sie als", "si en tant qu'", "si tú, como", "si como", "if you happen to be an", "if you happen to be a", "since you are an", "since you're an", "since you are a", "since you're a", "because you are an", "because you are a", "as you are an", "as you are a", "given that you are an", "being an", "you, the", "whichever", "whatever", "achtung", "atención", "atencion", "attenzione", "atenção", "uwaga", "let op", "lieber", "liebe", "cher", "caro", "querido", "si tu es un", "si eres un", "se sei un", "se você é um", "si vous êtes un", "wenn du ein", "wenn du eine", "als je een", "als u een", "si tu es une", "si eres una", "se sei una", "se você é uma", "jeśli jesteś", "यदि आप एक", "نمان"}...)
	givers  = []string{"to", "for", "to the", "for the", "to any", "for any", "to all", "for all", "to every", "for every", "to our", "à toute", "à tout", "a toda", "a todo", "a qualsiasi", "an jede", "an jeden", "a cualquier", "a qualquer", "an", "für", "für das", "an das", "an den", "au", "al", "alla", "ao", "aan het", "voor het", "请", "請", "让", "an die", "an den", "an alle", "pour", "pour l'", "pour les", "à l'", "aux", "à tous les", "para", "para el", "para la", "para los", "a los", "per", "per l'", "agli", "a tutti gli", "para o", "para a", "para os", "aos", "voor", "voor de", "aan", "aan de", "do", "dla", "для", "致", "给", "إلى", "to whichever", "ل", "لل", "يا", "أيها", "of the", "by an", "by any", "ai"}
	notes   = []string{"remark", "warning", "urgent", "important", "steps", "advice", "note", "notes", "message", "instruction", "instructions", "notice", "hint", "hinweis", "nota", "note", "nachricht", "bericht", "mensaje", "messaggio", "mensagem", "wiadomość", "p.s.", "ps", "reminder", "directive", "task", "only", "memo", "request", "attn", "comment", "guidance"}
	musts   = []string{"must", "should", "shall", "have to", "has to", "need to", "needs to", "are required", "is required", "will ", "are expected", "is expected", "are to ", "is to ", "are instructed", "are asked", "agree", "may now", "muss", "müssen", "doit", "doivent", "deben", "debe ", "devono", "deve ", "devem", "должен", "должны", "moet", "moeten", "musi", "muszą", "必须", "必須", "需要", "请"}
	readers = []string{"read", "that read", "who read", "that process", "who process", "processing", "working", "summari", "consum", "that consum", "parsing", "that pars", "indexing", "crawl", "editing", "adding", "choosing", "review", "extract", "scan", "visiting", "that visit", "see this", "seeing", "that see", "using this", "that use this", "loading", "that load", "opening", "handling", "that handle", "looking at", "analy", "evaluat", "grading", "scoring", "screening", "translat", "in this repo", "in this proj", "die dies", "die deze", "die das", "welche dies", "lisant", "traitant", "leyendo", "procesando", "leggendo", "lendo", "lesend", "qui li", "che legg", "que le", "que li", "dat dit", "die dit", "który czyta", "które czyta", "czytając", "читающ", "которы", "who work", "that work", "that come", "who come", "landing", "ingest", "that index", "who index", "index", "fetching", "that fetch", "receiving", "that receive", "executing this"}
	toWhom  = []string{"to", "for", "an", "für", "à", "pour", "para", "a", "per", "ai", "voor", "aan", "do", "dla", "для", "of"}
	// kindsOfNames stand before a name, and belong to it.
	kindsOfNames = []string{"grader", "grading", "judge", "judging", "evaluator", "ranking", "moderation", "shopping", "chat", "vision", "triage", "the", "any", "all", "every", "our", "your", "these", "ai", "code", "coding", "automated", "autonomous", "language", "large", "whichever", "operator", "mail", "review", "reviewing", "support", "other", "future", "die", "den", "alle", "les", "l'", "tous", "la", "el", "los", "o", "os", "as", "gli", "tutti", "de", "een", "einen", "automatische"}
	// here is what shows that the text means itself.
	here  = []string{" this", " these", " here", "below", "above", " it ", " it,", " it:", "the page", "the file", "the text", "the doc", "the issue", "the pull", " dies", " das ", " questa", " questo", " cette", " ce ", " esta", " este", " dit", " deze", " diese", " tę ", "это", "эту"}
	tails = []string{"operator", "operators", "automáticos", "automáticas", "automatiques", "automatici", "automatische", "instructions", "instruction", "notice", "directive", "directives", "guidance", "note-taker", "notetaker", "summarizer", "grader", "judge", "screener", "translator", "scribe", "triager", "assistants", "assistant", "agents", "agent", "models", "model", "coding", "systems", "system", "tools", "tool", "bots", "bot", "reviewers", "reviewer", "crawlers", "readers", "reader", "helpers", "helper", "code", "review", "llms", "ai", "ia", "ki", "de", "d'ia", "or", "and", "/", "&", "asystent", "that is", "only", "here", "of any kind", "automated", "language", "large", "editors", "users", "summarizers", "summarisers", "summarizer", "summariser", "classifiers", "developers", "के लिए", "ध्यान दें", "को", "へ", "の方へ", "の皆さんへ", "の皆様へ", "に", "에게", "께", "注意", "请注意", "們", "们", "الاصطناعي", "الذكي"}
)

// addressOf is address, worked out once for each signal.
func (r *reading) addressOf(i int) int {
	if r.addresses == nil {
		r.addresses = make([]int8, len(r.signals))
	}
	if r.addresses[i] == 0 {
		r.addresses[i] = int8(1 + r.address(r.signals[i]))
	}
	return int(r.addresses[i]) - 1
}

// neighbours are what stands around the name of an agent, in small letters.
type neighbours struct {
	before string // in its line
	head   string // the same, without marks and without what belongs to the name
	after  string // behind the name
	next   string // the same, from its first word on

	colon, comma bool // stand behind the name
	clear        bool // nothing of a sentence stands before it
}

func (r *reading) surroundings(s signal) (a neighbours) {
	text := r.text
	a.before = strings.ToLower(text[max(0, s.from-48):s.from])
	a.before = a.before[strings.LastIndexByte(a.before, '\n')+1:]
	a.after = strings.ToLower(text[s.to:min(len(text), s.to+96)])
	if compound, _, _ := strings.Cut(a.after, " "); strings.HasPrefix(a.after, "-") && slices.Contains([]string{"ki", "ai", "ia", "ии", "llm"}, strings.ToLower(text[s.from:s.to])) { // KI-Systeme
		a.after = " " + strings.TrimLeft(compound, "-abcdefghijklmnopqrstuvwxyzäöüß") + a.after[len(compound):]
	}
	a.after = behindName(a.after)
	a.next = strings.TrimLeft(a.after, " \n\t*/#,")
	a.colon = a.endsInColon(text[s.from] >= 0x80)
	a.comma = strings.HasPrefix(a.after, ",") || strings.HasPrefix(a.after, "，") || strings.HasPrefix(a.after, "、") || strings.HasPrefix(a.after, "!")
	head := strings.TrimRight(a.before, " \t\"'*_`(<[")
	if first := r.nameBefore(s); first < s.from { // "yapay zeka asistanına"
		head = strings.TrimRight(head[:max(0, len(head)-(s.from-first))], " \t\"'*_`(<[")
	}
	for range 3 { // "code" assistants
		i := strings.LastIndexByte(head, ' ')
		if w := head[i+1:]; i < 0 || w == "the" || w == "all" || w == "any" || w == "every" || !slices.Contains(kindsOfNames, w) {
			break
		}
		head = strings.TrimRight(head[:i], " ")
	}
	if i := strings.LastIndexByte(head, ' '); i > 0 && endsWord(head[:i], []string{"dear", "hey", "hello"}) { // dear reviewing model
		head = head[:i]
	}
	if first := strings.TrimLeft(head[strings.LastIndexAny(head, ".!")+1:], " \t#/*->;!|(<["); slices.Contains(kindsOfNames, first) {
		head = strings.TrimSuffix(head, first)
	}
	a.head = head
	a.clear = strings.TrimLeft(head, " \t#/*->;!|") == "" || endsIn(head, []string{".", "!", "=", "--", ">", "#", "：", "。", "；"}) ||
		strings.HasSuffix(head, ",") && a.before != head || strings.HasSuffix(head, ":") && a.before != "" || a.before != "" && strings.ContainsRune("\"[('", rune(a.before[len(a.before)-1]))
	return a
}

// endsInColon reports whether a colon stands behind the name, or what is used like one.
// foreign is that the name is not of Latin letters.
func (a *neighbours) endsInColon(foreign bool) bool {
	said := strings.TrimLeft(a.after, " :")
	marked := noted(strings.TrimRight(a.before, " "))
	colon := strings.HasPrefix(a.after, ":") || strings.HasPrefix(a.after, " :") || strings.HasPrefix(a.after, "：")
	switch {
	case colon && !starts(said, []string{"'", "\"", "{", "[", "`"}) && // code
		(len(strings.Fields(firstLine(said))) >= 3 || foreign || strings.HasSuffix(a.before, ", ") || marked):
		return true
	case strings.HasPrefix(a.after, ")") && starts(a.before[strings.LastIndexByte(a.before, '(')+1:], []string{"for ", "to ", "note to ", "note for "}):
		return true
	}
	return marked && starts(a.after, []string{" - ", " – ", " — ", "—", " -- "})
}

// partOfName reports whether the name is a piece of a path, or of a variable's name.
func (a *neighbours) partOfName() bool {
	return endsIn(a.before, []string{"/", "-", "_"}) || strings.HasPrefix(a.after, "-") || strings.HasPrefix(a.after, ".") && len(a.after) > 1 && letter(a.after[1])
}

// address says whether the name of an agent is one that is spoken to.
func (r *reading) address(s signal) int {
	text, a := r.text, r.surroundings(s)
	before, head, after, next := a.before, a.head, a.after, a.next
	if word := before[strings.LastIndexAny(before, " \t")+1:]; strings.HasPrefix(word, "@") && strings.HasSuffix(word, "-") && (a.colon || a.comma) { // @ai-agent:
		return spokenTo
	}
	if a.partOfName() {
		return 0
	}
	if r.bare(s, before) && !reads(next) && !related(next) && !participle(next) && !endsWord(head, callers) && !noted(head) && !endsWord(head, givers) && (a.comma || a.colon && !a.clear) { // people and programs are agents, too
		return named
	}
	opens := len(strings.Fields(head[strings.LastIndexAny(head, ".!>(")+1:])) // words of the sentence before it
	switch {
	case endsWord(head, []string{"dear", "hi", "hello", "hallo"}) && strings.HasPrefix(after, ",\n") && slices.Contains(people, strings.ToLower(text[s.from:s.to])):
		return named // a letter
	case endsWord(head, conditions) && common(text[s.from:s.to]) && next != "" && letter(next[0]) && strings.HasPrefix(after, " ") && !starts(next, readers) && !starts(next, relatives) && !strings.HasSuffix(firstWordOf(next), "ing"):
		return named // a model railway fan
	case strings.HasSuffix(before, "(") && strings.HasPrefix(after, "):") && endsWord(head, []string{"todo", "fixme", "hint", "note", "xxx", "hack"}):
		return spokenTo
	case endsWord(head, callers):
		if strings.HasSuffix(head, "dear") && r.bare(s, before) {
			return named // of a shop
		}
		if endsWord(head, conditions) || endsWord(head, salutations) && !slices.Contains(people, strings.ToLower(text[s.from:s.to])) {
			return alone
		}
		return spokenTo
	case a.colon && r.dialogue(s):
		return 0
	case (a.colon || a.comma) && given(before), endsWord(head, occasions) && reads(next) && means(next), text[s.from] >= 0x80 && before != "" && headLast(before), headLast(before) && text[s.to-1] < 0x80:
		return alone
	case opens <= 3 && endsWord(head, givers) && !endsWord(head, []string{"an", "ai", "by any", "of the"}) && related(next), opens <= 4 && a.colon && endsWord(head[:max(0, strings.LastIndexByte(head, ' '))], articles), opens == 0 && strings.HasPrefix(after, " ") && participle(next):
		return alone
	case reads(next) && (a.clear || endsWord(head, givers) || !endsWord(head, []string{"of", "in", "with", "by", "from", "the", "a"})):
		if !means(next) || containsAny(next[:min(len(next), 64)], []string{"repo", "project", "codebase"}) { // as AGENTS.md says
			return spokenTo
		}
		return alone
	case noted(head) && (a.colon || a.comma) && !r.bare(s, before):
		return alone
	case endsWord(head, givers) && (a.colon || a.comma && !endsWord(head, []string{"an", "all", "any", "every", "ai"}) || noted(head)):
		return spokenTo
	case a.clear && (a.colon || a.comma && r.asked(s)):
		return spokenTo
	case (a.colon || a.comma && r.asked(s)) && text[s.from] >= 0x80, a.colon && r.asked(s) && !common(text[s.from:s.to]):
		return spokenTo
	case starts(next, musts) && !strings.HasPrefix(next, "must be ") && !strings.HasPrefix(next, "should be "), laterMust(next):
		return expected
	}
	return named
}

// nameBefore is where a name begins that is made of several: "AI" assistant.
func (r *reading) nameBefore(s signal) int {
	i, _ := slices.BinarySearchFunc(r.signals, s.to, func(o signal, to int) int { return o.to - to })
	for i--; i >= 0 && s.from-r.signals[i].to < 16; i-- {
		o := r.signals[i]
		if o.kind != 'a' && o.kind != 'n' || o.to > s.from {
			continue
		}
		if between := r.text[o.to:s.from]; strings.ContainsAny(between, ".,:;!?\n\"/|") || strings.Count(between, " ") > 1 {
			break
		}
		return o.from
	}
	return s.from
}

// given reports whether a text, up to a name, says in which case it is meant: "if this page
// is read by a".
func given(before string) bool {
	i := max(strings.LastIndex(before, ". "), strings.LastIndex(before, "\n"), strings.LastIndex(before, "> "))
	clause := " " + strings.TrimLeft(strings.ReplaceAll(before[i+1:], "\"", " "), " #*>-")
	return containsAny(clause, []string{" if ", " when", " should ", " in case", " once ", " wenn ", " falls ", " si ", " se "}) && containsAny(clause, here) &&
		endsWord(strings.TrimRight(clause, " \"'*_`"), []string{"by", "by a", "by an", "by any", "by the", "by some", "von einer", "von einem", "par un", "par une", "por un", "por una", "por um", "por uma", "da un", "da una", "da un'"})
}

// occasions stand before the name of one who does something with the text.
var occasions = []string{"when a", "when an", "when any", "when the", "if a", "if an", "if any", "should a", "should an", "once a", "once an", "whenever a", "whenever an", "wenn ein", "wenn eine", "sobald ein", "sobald eine", "falls ein", "falls eine", "quand un", "quand une", "lorsqu'un", "si un", "si une", "cuando un", "cuando una", "si una", "quando um", "quando uma", "se um", "se uma", "quando un", "se un", "gdy", "jeśli", "когда", "если"}

// headLast reports whether what stands before a name says that its bearer reads this text,
// in languages where that comes first.
func headLast(before string) bool {
	for _, w := range [][2]string{{"この", "する"}, {"この", "した"}, {"この", "む"}, {"本", "する"}, {"这", "的"}, {"此", "的"}, {"本", "的"}, {"這", "的"}, {"이 ", "는 "}, {"bu ", "an "}, {"bu ", "en "}, {"इस ", "वाले "}} {
		if i := strings.LastIndex(before, w[0]); i >= 0 && strings.HasSuffix(before, w[1]) && !strings.ContainsAny(before[i:], "。，、.,") {
			return true
		}
	}
	return false
}

// english reports whether a text has the small words of English.
func english(text string) bool {
	n := 0
	for _, w := range strings.Fields(strings.ToLower(text)) {
		if slices.Contains([]string{"the", "a", "an", "to", "this", "is", "are", "you", "your", "and", "of", "in", "it", "with", "must", "for", "on", "be"}, strings.Trim(w, ".,:;!?()\"'`")) {
			n++
		}
	}
	return n >= 2
}

// common reports whether a name is one that other things than programs that read bear, too.
func common(name string) bool {
	name = strings.TrimRight(strings.ToLower(name), "s")
	return slices.Contains([]string{"agent", "assistant", "model", "bot", "robot", "chatbot", "agente", "assistente", "asistente", "modelo", "modello"}, name)
}

// bare reports whether a name is the one that people bear who sell and help.
func (r *reading) bare(s signal, before string) bool {
	name := strings.ToLower(r.text[s.from:s.to])
	if name != "agent" && name != "agents" {
		return false
	}
	words := strings.Fields(before)
	return len(words) == 0 || !slices.Contains([]string{"ai", "llm", "coding", "code", "automated", "autonomous", "operator", "language", "software", "browser", "browsing", "mail", "review"}, words[len(words)-1])
}

// asked reports whether an act stands right behind a name and its comma.
func (r *reading) asked(s signal) bool {
	reach := 32
	if strings.Contains(r.text[s.to:min(len(r.text), s.to+16)], ":") {
		reach = 64
	}
	if r.text[s.from] >= utf8.RuneSelf {
		reach = 96
	}
	i, _ := slices.BinarySearchFunc(r.signals, s.to, func(o signal, to int) int { return o.to - to })
	for ; i < len(r.signals) && r.signals[i].from-s.to < reach; i++ {
		switch o := r.signals[i]; o.kind {
		case 'a', 'n', 'N':
			if o.from > s.to+1 {
				return false
			}
		case 'V', 'v', 'D', 'd', 'p', 'Q', 'S', 'M', 'G', 'Z', 'P', 'I', 'i':
			return true
		}
	}
	return strings.HasPrefix(r.text[min(len(r.text), s.to):], ", you ") || strings.HasPrefix(r.text[min(len(r.text), s.to):], ", your ")
}

// strength is the same of a phrase that is an address by itself.
func (r *reading) strength(s signal) int {
	if strings.HasSuffix(r.text[s.from:s.to], ":") && r.dialogue(s) {
		return 0
	}
	if strings.HasPrefix(r.text[s.to:], " be ") || strings.HasPrefix(r.text[s.to:], "-") {
		return named
	}
	if name := strings.ToLower(r.text[s.from:s.to]); strings.Contains(name, "must") || strings.HasPrefix(name, "the ") {
		return expected
	} else if slices.ContainsFunc(tagged(), func(w string) bool { return w == name }) || starts(name, []string{"if ", "dear ai", "dear llm", "dear assistant", "note ", "wenn ", "hinweis", "si ", "se ", "nota ", "falls ", "jeśli ", "als "}) {
		return alone
	} else if strings.HasPrefix(name, "to ") && strings.Trim(r.text[strings.LastIndexByte(r.text[:s.from], '\n')+1:s.from], " \t#*>-/(") == "" {
		return alone
	}
	return spokenTo
}

// behindName is what stands behind all the words of a name: "AI agents (Claude, Codex)".
func behindName(after string) string {
	for after != "" {
		c, n := utf8.DecodeRuneInString(after)
		if c != '\'' && !unicode.IsLetter(c) && !unicode.IsMark(c) && !unicode.IsDigit(c) || unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			break
		}
		after = after[n:]
	}
	for range 4 {
		rest := strings.TrimLeft(after, " ")
		if strings.HasPrefix(rest, "(") {
			if i := strings.IndexByte(rest, ')'); i > 0 {
				after = rest[i+1:]
				continue
			}
		}
		found := false
		for _, t := range tails {
			if cut, ok := strings.CutPrefix(rest, t); ok && (cut == "" || !inWord(cut[0])) {
				after, found = cut, true
				break
			}
		}
		if !found {
			break
		}
	}
	return after
}

// laterMust reports whether a name goes on with what it must do, with a few words between:
// "models under audit have to".
func laterMust(next string) bool {
	next = next[:min(len(next), 56)]
	if i := strings.IndexAny(next, ".,;:\n("); i >= 0 {
		next = next[:i]
	}
	return containsAny(next, []string{" must ", " have to ", " has to ", " required to ", " obliged to ", " expected to "})
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// related reports whether it goes on with what such a one does, and then with what it is
// told: "that triages issues:".
func related(next string) bool {
	if !starts(next, relatives) {
		return false
	}
	clause, _, found := strings.Cut(next, ":")
	return found && len(clause) <= 72 && !strings.ContainsAny(clause, ".\n")
}

func firstWordOf(s string) string {
	s, _, _ = strings.Cut(s, " ")
	return s
}

// participle reports whether it goes on with what such a one is doing, and then with what
// it is told: "reading the catalogue, apply".
func participle(next string) bool {
	word := firstWordOf(next)
	rest := next[len(word):]
	end := strings.IndexAny(rest, ",:.\n(")
	return starts(word, readers) && strings.HasSuffix(word, "ing") && end > 0 && end <= 48 && (rest[end] == ',' || rest[end] == ':')
}

// articles stand, with one word more, before a name: to the reviewing bot.
var articles = []string{"to the", "for the", "to any", "for any", "to all", "for all", "to every", "an den", "an die", "für den", "für die", "para el", "para la", "pour le", "pour la", "per il", "per la", "voor de", "aan de", "إلى"}

var relatives = []string{"that ", "who ", "which ", "que ", "qui ", "che ", "der ", "die ", "das ", "który ", "która ", "котор", "الذي", "التي", "automático que", "automatico che", "automatique qui"}

// reads reports whether it goes on with what one does who reads this very text.
func reads(next string) bool {
	return starts(next, relatives) && means(next) || starts(next, readers) && containsAny(next[:min(len(next), 56)], here)
}

// means reports whether a clause says of itself which text it means: "this page".
func means(next string) bool {
	return containsAny(next[:min(len(next), 64)], []string{" this ", " this,", " this:", " these", " dies", " questo ", " questa ", " questi ", " queste ", " cette ", " ce ", " este ", " esta ", " esto", " dit ", " deze", "это", "эту", "هذا", "هذه", " tę ", " ten "})
}

// noted reports whether a text ends with "note to the", or "instructions for".
func noted(head string) bool {
	words := strings.Fields(head)
	for len(words) > 0 && slices.Contains(kindsOfNames, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if n := len(words); n > 2 && !slices.Contains(toWhom, words[n-1]) { // for the vision model
		words = words[:n-1]
		for len(words) > 0 && slices.Contains(kindsOfNames, words[len(words)-1]) {
			words = words[:len(words)-1]
		}
	}
	if n := len(words); n < 2 || !slices.Contains(toWhom, words[n-1]) {
		return false
	}
	before := strings.Trim(words[len(words)-2], "[(<*_:\"'!-")
	return len(words) <= 5 && slices.Contains(notes, before)
}

func endsWord(s string, words []string) bool {
	for _, w := range words {
		if cut, ok := strings.CutSuffix(s, w); ok && (cut == "" || !inWord(cut[len(cut)-1])) {
			return true
		}
	}
	return false
}

// endsIn reports whether a text ends in one of these.
func endsIn(s string, endings []string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(s, e) })
}

func starts(s string, words []string) bool {
	for _, w := range words {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

// dialogue reports whether a name with a colon is one of two that speak in turn.
func (r *reading) dialogue(s signal) bool {
	from := strings.LastIndexByte(r.text[:s.from], '\n') + 1
	if item := strings.TrimLeft(r.text[from:s.from], " \t"); item == "- " || item == "* " {
		return scopes(r.text[max(0, from-200):from], r.text[s.to:min(len(r.text), s.to+200)])
	}
	if strings.TrimLeft(r.text[from:s.from], " \t>*-[\"") != "" {
		return false
	}
	if r.turns == 0 {
		r.turns = 1
		if inTurns("\n" + strings.ToLower(r.text)) {
			r.turns = 2
		}
	}
	return r.turns == 2
}

// inTurns reports whether a person speaks in a text, as in a record of what was said.
func inTurns(text string) bool {
	for _, who := range []string{"user", "human", "customer", "kunde", "you", "me", "client", "utilisateur", "usuario", "question", "q"} {
		if strings.Contains(text, "\n"+who+":") {
			return true
		}
	}
	return false
}

// scopes reports whether the item before or behind one in a list begins with a word and a
// colon, too.
func scopes(before, after string) bool {
	lines := strings.Split(strings.TrimRight(before, "\n"), "\n")
	last := lines[len(lines)-1]
	_, next, _ := strings.Cut(after, "\n")
	for _, line := range []string{last, next} {
		item := strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(item, "- ") && !strings.HasPrefix(item, "* ") {
			continue
		}
		word, _, ok := strings.Cut(strings.ToLower(item[2:]), ":")
		if ok && len(word) < 20 && !strings.Contains(word, " ") {
			return true
		}
	}
	return false
}
