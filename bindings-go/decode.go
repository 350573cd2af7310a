package haltsql

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// parts are the fields of a verdict as encoding/json reads them. Pointers: what has to be there.
type parts struct {
	Allowed       *bool        `json:"allowed"`
	Reasons       *[]reason    `json:"reasons"`
	ShadowReasons *[]reason    `json:"shadow_reasons"`
	Policy        *policyRef   `json:"policy"`
	StatementKind *string      `json:"statement_kind"`
	Tables        *[]string    `json:"tables"`
	Columns       *[]string    `json:"columns"`
	BindParams    *[]bindParam `json:"bind_params"`
	Fingerprint   *string      `json:"fingerprint"`
	SQLSHA256     *string      `json:"sql_sha256"`
	ElapsedUS     *int64       `json:"elapsed_us"`
}

type reason struct {
	Code    *string `json:"code"`
	Message *string `json:"message"`
	Rule    *string `json:"rule"`
	Loc     *int    `json:"loc"`
	Hint    string  `json:"hint"`
}

type policyRef struct {
	Name       *string   `json:"name"`
	Version    *string   `json:"version"`
	SearchPath *[]string `json:"search_path"`
}

type bindParam struct {
	Param *int      `json:"param"`
	Value bindValue `json:"value"`
	Type  *string   `json:"type"`
}

// bindValue is a string or a list of strings.
type bindValue struct{ value any }

func (b *bindValue) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		var values []string
		err := json.Unmarshal(text, &values)
		b.value = values
		return err
	}
	var value string
	err := json.Unmarshal(text, &value)
	b.value = value
	return err
}

// decode is the verdict that any JSON spells that is one: of another version, say, with fields that are not known here.
func decode(text string) (Verdict, error) {
	var p parts
	// The way in which every verdict begins: nothing behind it can give `allowed` another value.
	allows := strings.HasPrefix(text, `{"allowed":true,`)
	begins := allows || strings.HasPrefix(text, `{"allowed":false,`)
	if !begins || !utf8.ValidString(text) || json.Unmarshal([]byte(text), &p) != nil || !p.whole() || *p.Allowed != allows {
		return Verdict{}, newError(ErrVerdict, "this is not the JSON of a verdict")
	}
	verdict := Verdict{
		Allowed:       allows,
		Reasons:       reasonsOf(*p.Reasons),
		ShadowReasons: reasonsOf(*p.ShadowReasons),
		Policy:        PolicyRef{*p.Policy.Name, *p.Policy.Version, some(*p.Policy.SearchPath)},
		StatementKind: StatementKind(orEmpty(p.StatementKind)),
		Tables:        some(*p.Tables),
		Columns:       some(*p.Columns),
		Fingerprint:   orEmpty(p.Fingerprint),
		SQLSHA256:     *p.SQLSHA256,
		Elapsed:       time.Duration(*p.ElapsedUS) * time.Microsecond,
		JSON:          text,
	}
	for _, param := range *p.BindParams {
		verdict.BindParams = append(verdict.BindParams, BindParam{*param.Param, param.Value.value, *param.Type})
	}
	return verdict, nil
}

// whole says whether all is there that is in every verdict.
func (p *parts) whole() bool {
	if p.Allowed == nil || p.Reasons == nil || p.ShadowReasons == nil || p.Policy == nil || p.Tables == nil || p.Columns == nil ||
		p.BindParams == nil || p.SQLSHA256 == nil || p.ElapsedUS == nil ||
		p.Policy.Name == nil || p.Policy.Version == nil || p.Policy.SearchPath == nil {
		return false
	}
	for _, list := range [][]reason{*p.Reasons, *p.ShadowReasons} {
		for _, reason := range list {
			if reason.Code == nil || reason.Message == nil || reason.Rule == nil {
				return false
			}
		}
	}
	for _, param := range *p.BindParams {
		if param.Param == nil || param.Value.value == nil || param.Type == nil {
			return false
		}
	}
	return true
}

func reasonsOf(spelt []reason) (reasons []Reason) {
	for _, one := range spelt {
		reason := Reason{Code: ReasonCode(*one.Code), Message: *one.Message, Rule: *one.Rule, Loc: -1, Hint: one.Hint}
		if one.Loc != nil {
			reason.Loc = *one.Loc
		}
		reasons = append(reasons, reason)
	}
	return reasons
}

// some is the list, or nil where it is empty: the same from both ways of reading.
func some(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
