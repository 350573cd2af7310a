package haltsql

import (
	"strings"
	"time"
)

// spelling reads verdicts as the core spells them (docs/verdict.md): one line, no blanks, the fields in their order. encoding/json
// would take longer than the rest of a call, and most verdicts have no character that JSON escapes. It must never guess: what is
// spelt in any other way is left to decode. The strings that it returns are parts of the text.
type spelling struct {
	text string
	at   int
	// other: this is not the spelling, and what was read so far is void.
	other bool
}

// readSpelling is what the text says, and true where it is the core's spelling of a verdict, without escapes, and nothing else.
func readSpelling(text string) (f fields, ok bool) {
	// Without a backslash every quotation mark begins or ends a string.
	if strings.IndexByte(text, '\\') >= 0 {
		return fields{}, false
	}
	s := spelling{text: text}
	f.allowed = s.is(`{"allowed":true`)
	if !f.allowed {
		s.expect(`{"allowed":false`)
	}
	// Most have none, and are past them at once.
	if !s.is(`,"reasons":[],"shadow_reasons":[]`) {
		f.reasons = s.reasons(`,"reasons":[`)
		f.shadowReasons = s.reasons(`,"shadow_reasons":[`)
	}
	f.policy.Name = s.string(`,"policy":{"name":"`)
	f.policy.Version = s.string(`,"version":"`)
	// Three lists one behind another, for which most verdicts have room here: they take one allocation.
	var room [32]string
	lists := s.strings(room[:0], `,"search_path":[`)
	path := len(lists)
	if !s.is(`},"statement_kind":null`) {
		f.statementKind = StatementKind(s.string(`},"statement_kind":"`))
	}
	lists = s.strings(lists, `,"tables":[`)
	tables := len(lists)
	lists = s.strings(lists, `,"columns":[`)
	f.bindParams = s.bindParams(`,"bind_params":[`)
	if !s.is(`,"fingerprint":null`) {
		f.fingerprint = s.string(`,"fingerprint":"`)
	}
	f.sqlSHA256 = s.string(`,"sql_sha256":"`)
	f.elapsed = time.Duration(s.number(`,"elapsed_us":`)) * time.Microsecond
	s.expect(`}`)
	if s.other || s.at != len(text) {
		return fields{}, false
	}
	all := append([]string(nil), lists...)
	f.policy.SearchPath, f.tables, f.columns = part(all, 0, path), part(all, path, tables), part(all, tables, len(all))
	return f, true
}

// part is a list of its own: what is appended to it is not written into the next.
func part(all []string, from, to int) []string { return some(all[from:to:to]) }

func (s *spelling) reasons(mark string) (reasons []Reason) {
	for s.expect(mark); s.more(len(reasons)); {
		reason := Reason{Loc: -1}
		reason.Code = ReasonCode(s.string(`{"code":"`))
		reason.Message = s.string(`,"message":"`)
		reason.Rule = s.string(`,"rule":"`)
		if s.comes(`,"loc":`) {
			reason.Loc = s.number(`,"loc":`)
		}
		if s.comes(`,"hint":`) {
			reason.Hint = s.string(`,"hint":"`)
		}
		s.expect(`}`)
		reasons = append(reasons, reason)
	}
	return reasons
}

func (s *spelling) bindParams(mark string) (params []BindParam) {
	for s.expect(mark); s.more(len(params)); {
		param := BindParam{Param: s.number(`{"param":`)}
		if s.comes(`,"value":[`) {
			param.Value = s.strings(nil, `,"value":[`)
		} else {
			param.Value = s.string(`,"value":"`)
		}
		param.Type = s.string(`,"type":"`)
		s.expect(`}`)
		params = append(params, param)
	}
	return params
}

// more says whether a list goes on behind so many elements, and passes what stands between them.
func (s *spelling) more(behind int) bool {
	if s.is(`]`) {
		return false
	}
	if behind > 0 {
		s.expect(`,`)
	}
	return !s.other
}

// strings appends a list of strings, behind a mark that ends where the list begins. Most of a verdict is such lists: they are read in
// one loop of their own.
func (s *spelling) strings(list []string, mark string) []string {
	if s.expect(mark); s.other || s.is(`]`) {
		return list
	}
	for at := s.at; at < len(s.text) && s.text[at] == '"'; {
		from := at + 1
		length := strings.IndexByte(s.text[from:], '"')
		behind := from + length + 1
		if length < 0 || behind == len(s.text) {
			break
		}
		list = append(list, s.text[from:from+length])
		at = behind + 1
		if s.text[behind] == ']' {
			s.at = at
			return list
		}
		if s.text[behind] != ',' {
			break
		}
	}
	s.other = true
	return list
}

// string is a string, behind a mark that ends where it begins.
func (s *spelling) string(mark string) string {
	s.expect(mark)
	from := s.at
	length := strings.IndexByte(s.text[from:], '"')
	if s.other || length < 0 {
		s.other = true
		return ""
	}
	s.at += length + 1
	return s.text[from : from+length]
}

// number is one that an int holds everywhere: one with more digits is left to decode.
func (s *spelling) number(mark string) (number int) {
	s.expect(mark)
	from := s.at
	for ; s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9'; s.at++ {
		number = 10*number + int(s.text[s.at]-'0')
	}
	s.other = s.other || s.at == from || s.at-from > 9
	return number
}

func (s *spelling) expect(mark string) {
	if !s.is(mark) {
		s.other = true
	}
}

// is says whether the mark comes next, and passes it.
func (s *spelling) is(mark string) bool {
	comes := s.comes(mark)
	if comes {
		s.at += len(mark)
	}
	return comes
}

func (s *spelling) comes(mark string) bool { return !s.other && strings.HasPrefix(s.text[s.at:], mark) }
