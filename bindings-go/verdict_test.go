package haltsql

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/haltsql/haltsql-go/internal/native"
)

func TestAnAnswerThatContradictsItselfIsNoVerdict(t *testing.T) {
	for _, answer := range []native.Answer{
		{}, {Allowed: true}, {Allowed: true, JSON: "null"}, {JSON: `{"allowed":false`}, {Allowed: true, JSON: `{"allowed": true,`},
		{Allowed: true, JSON: `{"allowed":false,`}, {JSON: `{"allowed":true,`},
	} {
		if verdict, err := verdictOf(answer, nil, "SELECT", "policy"); verdict != (Verdict{}) || !errors.Is(err, ErrInternal) {
			t.Errorf("%+v: %v %v", answer, verdict, err)
		}
	}
}

// The library's own JSON is not read before somebody asks. Were it cut short, there would be nothing to tell, and no panic.
func TestOfWhatIsNoVerdictNothingIsRead(t *testing.T) {
	for _, text := range verdicts(t) {
		for at := len(`{"allowed":false,`); at < len(text); at++ {
			verdict, err := verdictOf(native.Answer{Allowed: strings.HasPrefix(text, `{"allowed":true,`), JSON: text[:at]}, nil, "", "policy")
			if err != nil || !reflect.DeepEqual(verdict.read(), fields{}) {
				t.Fatalf("%s: %+v %v", text[:at], verdict.read(), err)
			}
		}
	}
}
