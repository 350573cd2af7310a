// Command pack makes a folder that Go takes modules from (GOPROXY=file://…) of the package's three modules.
//
//	pack VERSION MODULE LIBRARY GUARD PROXY
//
// MODULE, LIBRARY and GUARD are folders with what ships; MODULE gets its go.sum, and that of GUARD the lines of the other two.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 6 {
		log.Fatal("usage: pack VERSION MODULE LIBRARY GUARD PROXY")
	}
	version, folder, library, guard, proxy := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	// The library first: the other module's go.sum has its digests.
	sums, err := pack(version, library, proxy)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "go.sum"), []byte(sums), 0o644)
	}
	var more string
	if err == nil {
		more, err = pack(version, folder, proxy)
	}
	if err == nil {
		err = add(filepath.Join(guard, "go.sum"), sums+more)
	}
	if err == nil {
		_, err = pack(version, guard, proxy)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// add puts lines before those of a file.
func add(file, lines string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, append([]byte(lines), old...), 0o644)
}

// pack writes one module, and returns the lines of a go.sum about it.
func pack(version, folder, proxy string) (string, error) {
	file, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return "", err
	}
	parsed, err := modfile.Parse("go.mod", file, nil)
	if err != nil {
		return "", err
	}
	what := module.Version{Path: parsed.Module.Mod.Path, Version: version}
	if err := module.Check(what.Path, what.Version); err != nil {
		return "", err
	}
	path, err := module.EscapePath(what.Path)
	if err != nil {
		return "", err
	}
	to := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return "", err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, version, time.Now().UTC().Format(time.RFC3339))
	for name, text := range map[string]string{"list": version + "\n", version + ".info": info, version + ".mod": string(file)} {
		if err := os.WriteFile(filepath.Join(to, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	archive := filepath.Join(to, version+".zip")
	out, err := os.Create(archive)
	if err != nil {
		return "", err
	}
	if err := zip.CreateFromDir(out, what, folder); err != nil {
		return "", err
	}
	if err := out.Close(); err != nil {
		return "", err
	}
	whole, err := dirhash.HashZip(archive, dirhash.Hash1)
	if err != nil {
		return "", err
	}
	mod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(file)), nil
	})
	return fmt.Sprintf("%s %s %s\n%s %s/go.mod %s\n", what.Path, version, whole, what.Path, version, mod), err
}
