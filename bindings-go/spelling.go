package haltsql

import (
	"strconv"
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

// readSpelling is the verdict, and true where the text is the core's spelling of one, without escapes, and nothing else.
func readSpelling(text string) (v Verdict, ok bool) {
	// Without a backslash every quotation mark begins or ends a string.
	s := spelling{text: text, other: strings.IndexByte(text, '\\') >= 0}
	v.Allowed = s.is(`{"allowed":true`)
	if !v.Allowed {
		s.expect(`{"allowed":false`)
	}
	v.Reasons = s.reasons(`,"reasons":[`)
	v.ShadowReasons = s.reasons(`,"shadow_reasons":[`)
	v.Policy.Name = s.string(`,"policy":{"name":"`)
	v.Policy.Version = s.string(`,"version":"`)
	v.Policy.SearchPath = s.strings(`,"search_path":[`)
	if !s.is(`},"statement_kind":null`) {
		v.StatementKind = StatementKind(s.string(`},"statement_kind":"`))
	}
	v.Tables = s.strings(`,"tables":[`)
	v.Columns = s.strings(`,"columns":[`)
	v.BindParams = s.bindParams(`,"bind_params":[`)
	if !s.is(`,"fingerprint":null`) {
		v.Fingerprint = s.string(`,"fingerprint":"`)
	}
	v.SQLSHA256 = s.string(`,"sql_sha256":"`)
	v.Elapsed = time.Duration(s.number(`,"elapsed_us":`)) * time.Microsecond
	s.expect(`}`)
	if s.other || s.at != len(text) {
		return Verdict{}, false
	}
	v.JSON = text
	return v, true
}

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
			param.Value = s.strings(`,"value":[`)
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

// strings is a list of strings, behind a mark that ends where the list begins.
func (s *spelling) strings(mark string) []string {
	// Most lists fit in here, and so take one allocation each.
	var room [24]string
	texts := room[:0]
	for s.expect(mark); s.more(len(texts)); {
		texts = append(texts, s.string(`"`))
	}
	return append([]string(nil), texts...)
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

func (s *spelling) number(mark string) int {
	s.expect(mark)
	end := s.at
	for end < len(s.text) && '0' <= s.text[end] && s.text[end] <= '9' {
		end++
	}
	number, err := strconv.Atoi(s.text[s.at:end])
	s.other = s.other || err != nil
	s.at = end
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
