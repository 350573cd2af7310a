package haltsql

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Context says who is asking. It comes from the login, never from whoever wrote the SQL. It is no [context.Context].
//
// A value is a string, or a []string where a key may have several. Values are never converted: other ones that JSON knows may
// stand there, as in the claims of a token, but a policy's key that has one is missing to HaltSQL, and the verdict a denial. So
// {"account": 5} is denied, and {"account": "5"} is what an integer key takes.
type Context map[string]any

// nested is how deep values may lie; HaltSQL uses none that lies deeper than 2.
const nested = 32

// json is the context's spelling. The order of its keys is the map's and means nothing.
func (c Context) json() (string, error) {
	text := make([]byte, 0, 128)
	text = append(text, '{')
	for key, value := range c {
		if len(text) > 1 {
			text = append(text, ',')
		}
		var err error
		if text, err = appendText(text, key); err != nil {
			return "", err
		}
		text = append(text, ':')
		switch value := value.(type) {
		case string:
			text, err = appendText(text, value)
		case []string:
			text, err = appendTexts(text, value)
		default:
			text, err = appendValue(text, reflect.ValueOf(value), nested)
		}
		if err != nil {
			return "", err
		}
	}
	return string(append(text, '}')), nil
}

func appendTexts(to []byte, values []string) (_ []byte, err error) {
	to = append(to, '[')
	for at, value := range values {
		if at > 0 {
			to = append(to, ',')
		}
		if to, err = appendText(to, value); err != nil {
			return nil, err
		}
	}
	return append(to, ']'), nil
}

// appendText writes a string. encoding/json would put U+FFFD where it is not UTF-8: then another text would be checked.
func appendText(to []byte, text string) ([]byte, error) {
	if !utf8.ValidString(text) {
		return nil, newError(ErrEncoding, "a string of the context is not UTF-8, so that no JSON is exactly it")
	}
	plain := !slices.ContainsFunc([]byte(text), func(b byte) bool { return b < ' ' || b == '"' || b == '\\' })
	if plain {
		return append(append(append(to, '"'), text...), '"'), nil
	}
	spelt, err := json.Marshal(text)
	return append(to, spelt...), err
}

// appendValue writes what is neither a string nor a []string, as what it is. What has a text of its own, such as a UUID, is
// refused: which text the policy means is for the program to say.
func appendValue(to []byte, value reflect.Value, depth int) (_ []byte, err error) {
	if !value.IsValid() {
		return append(to, "null"...), nil
	}
	if number, isNumber := value.Interface().(json.Number); isNumber {
		if !json.Valid([]byte(number)) {
			return nil, refused(value)
		}
		return append(to, number...), nil
	}
	_, hasText := value.Interface().(encoding.TextMarshaler)
	_, hasJSON := value.Interface().(json.Marshaler)
	if hasText || hasJSON || depth == 0 {
		return nil, refused(value)
	}
	switch value.Kind() {
	case reflect.String:
		return appendText(to, value.String())
	case reflect.Bool:
		return strconv.AppendBool(to, value.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(to, value.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(to, value.Uint(), 10), nil
	case reflect.Float32, reflect.Float64:
		if math.IsNaN(value.Float()) || math.IsInf(value.Float(), 0) {
			return nil, refused(value)
		}
		return strconv.AppendFloat(to, value.Float(), 'g', -1, 64), nil
	case reflect.Interface:
		return appendValue(to, value.Elem(), depth)
	case reflect.Slice, reflect.Array:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return nil, refused(value)
		}
		return appendList(to, value, depth-1)
	case reflect.Map:
		if value.Type().Key().Kind() != reflect.String {
			return nil, refused(value)
		}
		return appendMap(to, value, depth-1)
	default:
		return nil, refused(value)
	}
}

func appendList(to []byte, list reflect.Value, depth int) (_ []byte, err error) {
	to = append(to, '[')
	for at := range list.Len() {
		if at > 0 {
			to = append(to, ',')
		}
		if to, err = appendValue(to, list.Index(at), depth); err != nil {
			return nil, err
		}
	}
	return append(to, ']'), nil
}

func appendMap(to []byte, members reflect.Value, depth int) (_ []byte, err error) {
	to = append(to, '{')
	for at, key := range members.MapKeys() {
		if at > 0 {
			to = append(to, ',')
		}
		if to, err = appendText(to, key.String()); err != nil {
			return nil, err
		}
		to = append(to, ':')
		if to, err = appendValue(to, members.MapIndex(key), depth); err != nil {
			return nil, err
		}
	}
	return append(to, '}'), nil
}

func refused(value reflect.Value) error {
	return newError(ErrContext, "a value of the context is of type %s: give a string or a []string", value.Type())
}
