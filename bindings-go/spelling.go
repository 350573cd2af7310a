package haltsql

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// spelling reads verdicts as the core spells them (docs/verdict.md): one line, no blanks, the fields in their order. encoding/json
// would take longer than the rest of a call. The strings that it returns are parts of the text. It must never guess: what is spelt
// in any other way is left to decode.
type spelling struct {
	text string
	at   int
	// other: this is not the spelling, and what was read so far is void.
	other bool
}

// readSpelling is the verdict, and true where the text is the core's spelling of one and nothing else.
func readSpelling(text string) (v Verdict, ok bool) {
	s := spelling{text: text}
	s.expect(`{"allowed":`)
	v.Allowed = s.boolean()
	s.expect(`,"reasons":`)
	v.Reasons = s.reasons()
	s.expect(`,"shadow_reasons":`)
	v.ShadowReasons = s.reasons()
	s.expect(`,"policy":{"name":`)
	v.Policy.Name = s.string()
	s.expect(`,"version":`)
	v.Policy.Version = s.string()
	s.expect(`,"search_path":`)
	v.Policy.SearchPath = s.strings()
	s.expect(`},"statement_kind":`)
	v.StatementKind = StatementKind(s.stringOrNull())
	s.expect(`,"tables":`)
	v.Tables = s.strings()
	s.expect(`,"columns":`)
	v.Columns = s.strings()
	s.expect(`,"bind_params":`)
	v.BindParams = s.bindParams()
	s.expect(`,"fingerprint":`)
	v.Fingerprint = s.stringOrNull()
	s.expect(`,"sql_sha256":`)
	v.SQLSHA256 = s.string()
	s.expect(`,"elapsed_us":`)
	v.Elapsed = time.Duration(s.number()) * time.Microsecond
	s.expect(`}`)
	if s.other || s.at != len(text) {
		return Verdict{}, false
	}
	v.JSON = text
	return v, true
}

func (s *spelling) reasons() (reasons []Reason) {
	s.list(func() {
		reason := Reason{Loc: -1}
		s.expect(`{"code":`)
		reason.Code = ReasonCode(s.string())
		s.expect(`,"message":`)
		reason.Message = s.string()
		s.expect(`,"rule":`)
		reason.Rule = s.string()
		if s.is(`,"loc":`) {
			reason.Loc = s.number()
		}
		if s.is(`,"hint":`) {
			reason.Hint = s.string()
		}
		s.expect(`}`)
		reasons = append(reasons, reason)
	})
	return reasons
}

func (s *spelling) bindParams() (params []BindParam) {
	s.list(func() {
		var param BindParam
		s.expect(`{"param":`)
		param.Param = s.number()
		s.expect(`,"value":`)
		if strings.HasPrefix(s.text[s.at:], `[`) {
			param.Value = s.strings()
		} else {
			param.Value = s.string()
		}
		s.expect(`,"type":`)
		param.Type = s.string()
		s.expect(`}`)
		params = append(params, param)
	})
	return params
}

func (s *spelling) strings() (texts []string) {
	s.list(func() { texts = append(texts, s.string()) })
	return texts
}

// list calls each at the beginning of every element.
func (s *spelling) list(each func()) {
	s.expect(`[`)
	if s.is(`]`) {
		return
	}
	for !s.other {
		each()
		if s.is(`]`) {
			return
		}
		s.expect(`,`)
	}
}

func (s *spelling) stringOrNull() string {
	if s.is(`null`) {
		return ""
	}
	return s.string()
}

func (s *spelling) string() string {
	s.expect(`"`)
	if s.other {
		return ""
	}
	rest := s.text[s.at:]
	end := strings.IndexByte(rest, '"')
	if end >= 0 && strings.IndexByte(rest[:end], '\\') < 0 {
		s.at += end + 1
		return rest[:end]
	}
	return s.escaped(rest)
}

// escaped is a string with a backslash in it, or without an end.
func (s *spelling) escaped(rest string) (text string) {
	end := 0
	for end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(rest) || json.Unmarshal([]byte(s.text[s.at-1:s.at+end+1]), &text) != nil {
		s.other = true
		return ""
	}
	s.at += end + 1
	return text
}

func (s *spelling) number() int {
	end := s.at
	for end < len(s.text) && '0' <= s.text[end] && s.text[end] <= '9' {
		end++
	}
	number, err := strconv.Atoi(s.text[s.at:end])
	s.other = s.other || err != nil
	s.at = end
	return number
}

func (s *spelling) boolean() bool {
	if s.is(`true`) {
		return true
	}
	s.expect(`false`)
	return false
}

func (s *spelling) expect(mark string) {
	if !s.is(mark) {
		s.other = true
	}
}

// is says whether the mark comes next, and passes it.
func (s *spelling) is(mark string) bool {
	if !s.other && strings.HasPrefix(s.text[s.at:], mark) {
		s.at += len(mark)
		return true
	}
	return false
}
