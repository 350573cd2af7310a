package guard

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	haltsql "github.com/haltsql/haltsql-go"
)

// root is the checkout.
var root = func() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", "..")
}()

// server is a throw-away PostgreSQL on a unix socket, as pgtemp starts them: it ends with this program, however that ends.
type server struct {
	socket string
	// shop is the name of the database that the tests call by that name.
	shop string
	// While it is open, the server is there.
	owner io.Closer
}

// start starts one of a version, whose folder the variable names, and says how to stop it.
func start(t testing.TB, variable string) (*server, func()) {
	t.Helper()
	prefix := os.Getenv(variable)
	if prefix == "" {
		t.Fatalf("%s is not set: source scripts/env.sh", variable)
	}
	if !filepath.IsAbs(prefix) {
		prefix = filepath.Join(root, prefix)
	}
	// Short: the path of a socket has 107 bytes. Not inside a folder that only root may enter.
	folder, err := os.MkdirTemp("/tmp", "haltsql-go-")
	if err == nil {
		err = os.Chmod(folder, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("sh", "-c", read(t, root, "pgtemp", "src", "supervise.sh"), "supervise", folder, filepath.Join(prefix, "bin"))
	owner, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	output := bufio.NewReader(said)
	if line, _ := output.ReadString('\n'); line != "ready\n" {
		rest, _ := io.ReadAll(output)
		t.Fatalf("no server: %s%s", line, rest)
	}
	return &server{filepath.Join(folder, "socket"), "shop", owner}, func() {
		owner.Close()
		_ = command.Wait()
		_ = os.RemoveAll(folder)
	}
}

func (s *server) dsn(database, user string, more ...string) string {
	if database == "shop" {
		database = s.shop
	}
	return fmt.Sprintf("host=%s dbname=%s user=%s %s", s.socket, database, user, strings.Join(more, " "))
}

// run runs a script as the superuser.
func (s *server) run(t testing.TB, database, script string) {
	t.Helper()
	conn := connect(t, s.dsn(database, "postgres"))
	defer conn.Close(context.Background())
	if _, err := conn.PgConn().Exec(context.Background(), script).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

// ask asks the superuser for one number.
func (s *server) ask(t testing.TB, query string) (number int) {
	t.Helper()
	conn := connect(t, s.dsn("shop", "postgres"))
	defer conn.Close(context.Background())
	if err := conn.QueryRow(context.Background(), query).Scan(&number); err != nil {
		t.Fatal(err)
	}
	return number
}

func connect(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func read(t testing.TB, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const database = `
CREATE SCHEMA app; CREATE TYPE app."Mood" AS ENUM ('glad', 'sad');
CREATE TABLE app.orders (id int PRIMARY KEY, tenant_id text NOT NULL, note text, mood app."Mood");
INSERT INTO app.orders SELECT n, CASE n % 2 WHEN 0 THEN 'acme' ELSE 'globex' END, 'n' || n, 'sad' FROM generate_series(1, 40) AS n;
CREATE TABLE app.accounts (id int PRIMARY KEY, account bigint NOT NULL, team uuid NOT NULL, name text);
INSERT INTO app.accounts VALUES (1, 7, '00000000-0000-0000-0000-000000000001', 'one'), (2, 8, '00000000-0000-0000-0000-000000000002', 'two');
`

// state is what a session can keep, as one text: settings, prepared statements, cursors, locks, channels, temporary tables.
const state = `
CREATE VIEW app.session_state AS SELECT
    (SELECT string_agg(name || '=' || setting, ', ' ORDER BY name) FROM pg_settings WHERE source = 'session') || '; ' ||
    coalesce((SELECT string_agg(statement, ', ' ORDER BY statement) FROM pg_prepared_statements), 'nothing prepared') || '; ' ||
    (SELECT count(*) FROM pg_cursors WHERE name <> '') || ' ' ||
    (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') || ' ' ||
    (SELECT count(*) FROM pg_listening_channels()) || ' ' || (pg_my_temp_schema() <> 0) || ' ' ||
    coalesce(current_setting('app.owner', true), 'nobody') AS state`

// shop is a database of one test's own on the common server, gone with the test: what it writes and what runs there can be counted.
func shop(t testing.TB) *server {
	t.Helper()
	common := common(t)
	databases++
	own := &server{common.socket, fmt.Sprintf("shop_%d", databases), nil}
	common.run(t, "postgres", "CREATE DATABASE "+own.shop+" TEMPLATE pristine")
	return own
}

// alone is a server of one test's own.
func alone(t testing.TB) *server {
	t.Helper()
	server, stop := start(t, "HALTSQL_TEST_PG")
	t.Cleanup(stop)
	stock(t, server)
	return server
}

// common is the server of all tests that leave it as it was. It ends with this program.
func common(t testing.TB) *server {
	t.Helper()
	if shared == nil {
		shared, _ = start(t, "HALTSQL_TEST_PG")
		stock(t, shared)
	}
	return shared
}

var (
	shared    *server
	databases int
)

func stock(t testing.TB, server *server) {
	t.Helper()
	server.run(t, "postgres", "CREATE DATABASE pristine")
	server.run(t, "pristine", database+state)
	server.run(t, "postgres", "CREATE DATABASE shop TEMPLATE pristine")
}

var acme = haltsql.Context{
	"tenant_id": "acme", "account": "7",
	"teams": []string{"00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000009"},
}

const (
	writes = "      write: { insert: [id, tenant_id, note], update: [note], delete: true }\n"
	shape  = `
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: shop }
spec:
  mode: %s
  search_path: [app]
  tenancy:
    mode: bound
    keys:
      - { column: tenant_id, context: tenant_id, type: text }
      - { column: account, context: account, type: integer }
      - { column: team, context: teams, type: uuid }
  statements: [%s]
  functions: { profiles: [core, text-search], allow: [pg_sleep] }
  tables:
    app.session_state: { columns: [state], shared: true }
    app.accounts: { columns: [id, account, team, name], complete: true, tenant: { tenant_id: none } }
    app.orders:
      columns: [id, tenant_id, note, mood]
      complete: true
      tenant: { account: none, team: none }
%s  limits: { max_generated: 100000000, cartesian: allow }
  execution:
    max_rows: 5
%s`
)

// policy is the shop's, with lines of `execution`.
func policy(t testing.TB, execution ...string) *haltsql.Policy {
	t.Helper()
	return policyOf(t, fmt.Sprintf(shape, "enforce", "select, insert, update, delete", writes, lines(execution)))
}

func policyOf(t testing.TB, document string) *haltsql.Policy {
	t.Helper()
	policy, err := haltsql.LoadPolicy([]byte(document), nil)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

func lines(execution []string) (text string) {
	for _, line := range execution {
		text += "    " + line + "\n"
	}
	return text
}
