package haltsql

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// fields are what a verdict's JSON says. Every reading makes its own.
type fields struct {
	allowed       bool
	reasons       []Reason
	shadowReasons []Reason
	policy        PolicyRef
	statementKind StatementKind
	tables        []string
	columns       []string
	bindParams    []BindParam
	fingerprint   string
	sqlSHA256     string
	elapsed       time.Duration
}

// read reads the JSON: as the core spells it, or else as any. Of what is no verdict nothing is read.
func (v Verdict) read() fields {
	read, spelt := readSpelling(v.json)
	if !spelt {
		read, _ = decode(v.json)
	}
	return read
}

func (f fields) codes() []ReasonCode {
	var codes []ReasonCode
	for _, reasons := range [][]Reason{f.reasons, f.shadowReasons} {
		for _, reason := range reasons {
			codes = append(codes, reason.Code)
		}
	}
	return codes
}

// begins reads how every verdict begins: nothing behind it can give `allowed` another value.
func begins(text string) (allows, verdict bool) {
	allows = strings.HasPrefix(text, `{"allowed":true,`)
	return allows, allows || strings.HasPrefix(text, `{"allowed":false,`)
}

// parts are the fields as encoding/json reads them. Pointers: what has to be there.
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
		b.value = some(values)
		return err
	}
	var value string
	err := json.Unmarshal(text, &value)
	b.value = value
	return err
}

// decode reads any JSON that is a verdict's: of another version, say, with fields that are not known here.
func decode(text string) (fields, error) {
	var p parts
	allows, verdict := begins(text)
	if !verdict || !utf8.ValidString(text) || json.Unmarshal([]byte(text), &p) != nil || !p.whole() || *p.Allowed != allows {
		return fields{}, newError(ErrVerdict, "this is not the JSON of a verdict")
	}
	read := fields{
		allowed:       allows,
		reasons:       reasonsOf(*p.Reasons),
		shadowReasons: reasonsOf(*p.ShadowReasons),
		policy:        PolicyRef{*p.Policy.Name, *p.Policy.Version, some(*p.Policy.SearchPath)},
		statementKind: StatementKind(orEmpty(p.StatementKind)),
		tables:        some(*p.Tables),
		columns:       some(*p.Columns),
		fingerprint:   orEmpty(p.Fingerprint),
		sqlSHA256:     *p.SQLSHA256,
		elapsed:       time.Duration(*p.ElapsedUS) * time.Microsecond,
	}
	for _, param := range *p.BindParams {
		read.bindParams = append(read.bindParams, BindParam{*param.Param, param.Value.value, *param.Type})
	}
	return read, nil
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
