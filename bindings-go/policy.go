package haltsql

import (
	"fmt"
	"os"
	"sync"

	"github.com/haltsql/haltsql-go/internal/native"
)

// Policy is a loaded policy. It never changes, and any number of goroutines may use one.
type Policy struct {
	native          *native.Policy
	name            string
	version         string
	mode            Mode
	searchPathValue string
}

// Mode is what a policy's verdicts are worth.
type Mode string

// The modes of a policy.
const (
	// ModeEnforce is the usual one: what breaks a rule is denied.
	ModeEnforce Mode = "enforce"
	// ModeShadow allows everything, and says in Verdict.ShadowReasons what would have been denied. Such verdicts protect nothing.
	ModeShadow Mode = "shadow"
)

// Format is the language of a policy document.
type Format uint32

// The languages of policy documents.
const (
	// FormatAuto is JSON where the name ends in .json, or where it has no such ending and the document begins with {; else YAML.
	FormatAuto Format = 0
	// FormatYAML is YAML.
	FormatYAML Format = 1
	// FormatJSON is JSON.
	FormatJSON Format = 2
)

// LoadOptions are what [LoadPolicy] may be told about a document.
type LoadOptions struct {
	// Format is the document's language.
	Format Format
	// Name stands in errors, such as a path; its ending can decide the format. No file is read.
	Name string
}

// LoadPolicy loads a policy from a document, which it doesn't keep. No options are the same as nil.
//
// It returns an [*Error]: [ErrPolicy] where the document is not valid, [ErrArgument] for another Format, [ErrVersion] where the
// library is of another version than this package.
func LoadPolicy(document []byte, options *LoadOptions) (*Policy, error) {
	if err := compatible(); err != nil {
		return nil, err
	}
	if options == nil {
		options = &LoadOptions{}
	}
	loaded, failure := native.Load(document, uint32(options.Format), options.Name)
	if failure != nil {
		return nil, errorOf(failure, "policy")
	}
	policy := &Policy{native: loaded}
	for _, part := range []struct {
		to *string
		of func() (string, *native.Failure)
	}{
		{&policy.name, loaded.Name},
		{&policy.version, loaded.Version},
		{(*string)(&policy.mode), loaded.Mode},
		{&policy.searchPathValue, loaded.SearchPathValue},
	} {
		if *part.to, failure = part.of(); failure != nil {
			loaded.Close()
			return nil, errorOf(failure, "policy")
		}
	}
	return policy, nil
}

// LoadPolicyFile reads a document and loads it as [LoadPolicy] does, with the path as its name. Where the file cannot be read,
// the error is that of os.ReadFile.
func LoadPolicyFile(path string) (*Policy, error) {
	document, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return LoadPolicy(document, &LoadOptions{Name: path})
}

// Name returns the policy's metadata.name.
func (p *Policy) Name() string { return p.name }

// Version returns sha256: and the digest of the normalised policy, as verdicts carry it.
func (p *Policy) Version() string { return p.version }

// Mode returns the policy's mode. Verdicts under [ModeShadow] protect nothing.
func (p *Policy) Mode() Mode { return p.mode }

// SearchPathValue returns the value for pg_catalog.set_config('search_path', $1, true) in the transaction that runs what was
// checked.
func (p *Policy) SearchPathValue() string { return p.searchPathValue }

// Check returns the verdict on exactly this text, which may be any bytes.
//
// It returns an [*Error], and an empty verdict, where no check happened: [ErrContext] or [ErrEncoding] for the context, [ErrClosed].
func (p *Policy) Check(sql string, context Context) (Verdict, error) {
	json, err := context.json()
	if err != nil {
		return Verdict{}, err
	}
	return p.CheckJSON(sql, json)
}

// CheckJSON is [Policy.Check] for a context that is JSON already: an object with unique keys.
func (p *Policy) CheckJSON(sql, context string) (Verdict, error) {
	if err := p.loaded(); err != nil {
		return Verdict{}, err
	}
	answer, failure := p.native.Check(sql, context)
	return verdictOf(answer, failure, sql, "policy")
}

// CheckMany returns the verdicts on many texts of one caller, in their order: [Caller.CheckMany].
func (p *Policy) CheckMany(texts []string, context Context, options *ManyOptions) ([]Verdict, error) {
	caller, err := p.ForContext(context)
	if err != nil {
		return nil, err
	}
	defer caller.Close()
	return caller.CheckMany(texts, options)
}

// ForContext reads a context once, for many checks. The errors are those of [Policy.Check].
func (p *Policy) ForContext(context Context) (*Caller, error) {
	json, err := context.json()
	if err != nil {
		return nil, err
	}
	return p.ForContextJSON(json)
}

// ForContextJSON is [Policy.ForContext] for a context that is JSON already: an object with unique keys.
func (p *Policy) ForContextJSON(context string) (*Caller, error) {
	if err := p.loaded(); err != nil {
		return nil, err
	}
	prepared, failure := p.native.ForContext(context)
	if failure != nil {
		return nil, errorOf(failure, "policy")
	}
	return &Caller{native: prepared, policy: p}, nil
}

// Describe returns what may be asked under the policy, as text for a prompt.
func (p *Policy) Describe() (string, error) { return p.text((*native.Policy).DescribeText) }

// DescribeJSON returns what may be asked under the policy, as one line of JSON.
func (p *Policy) DescribeJSON() (string, error) { return p.text((*native.Policy).DescribeJSON) }

// Close frees the policy's memory, after the checks that are under way. Later calls end with [ErrClosed]; callers live on. It may be
// called at any time, more than once, or never: then the garbage collector does it. It returns nil.
func (p *Policy) Close() error {
	if p.loaded() == nil {
		p.native.Close()
	}
	return nil
}

// String returns name, mode and version, for logs.
func (p *Policy) String() string {
	if err := p.loaded(); err != nil {
		return "haltsql.Policy{}"
	}
	return fmt.Sprintf("haltsql.Policy{%q, %s, %s}", p.name, p.mode, p.version)
}

func (p *Policy) text(of func(*native.Policy) (string, *native.Failure)) (string, error) {
	if err := p.loaded(); err != nil {
		return "", err
	}
	text, failure := of(p.native)
	if failure != nil {
		return "", errorOf(failure, "policy")
	}
	return text, nil
}

func (p *Policy) loaded() error {
	if p == nil || p.native == nil {
		return newError(ErrArgument, "there is no policy: one comes from LoadPolicy or LoadPolicyFile")
	}
	return nil
}

// compatible says whether the library is the one that this package was made for: another one could misunderstand what it is handed.
var compatible = sync.OnceValue(func() error {
	version, abi := native.LibraryVersion()
	if version == Version && abi == native.ABIVersion && native.HeaderVersion == Version {
		return nil
	}
	return newError(ErrVersion, "the library is of HaltSQL %s (ABI %d), and the package of %s (ABI %d): "+
		"require the same version of github.com/haltsql/haltsql-go and of its lib/linux-amd64",
		version, abi, Version, uint32(native.ABIVersion))
})
