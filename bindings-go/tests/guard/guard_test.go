package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
	"github.com/haltsql/haltsql-go/pgxguard/sqlguard"
)

const own = "SELECT id, note FROM app.orders WHERE tenant_id = $1 ORDER BY id LIMIT 2"

func TestResultsHaveRowsVerdictAndReceipt(t *testing.T) {
	server := common(t)
	guard := guardOf(t, policy(t), &pgxguard.Options{ReceiptKey: strings.Repeat("07", 32)})
	for _, desk := range desks(t, server, guard) {
		result, err := desk.query(acme, own)
		if err != nil {
			t.Fatal(desk.name, err)
		}
		values, err := result.Values()
		if err != nil || !reflect.DeepEqual(values, [][]any{{int32(2), "n2"}, {int32(4), "n4"}}) {
			t.Error(desk.name, values, err)
		}
		if !reflect.DeepEqual(texts(result.Texts), [][]string{{"2", "n2"}, {"4", "n4"}}) || result.RowCount != 2 || result.Truncated {
			t.Error(desk.name, result)
		}
		if !reflect.DeepEqual(result.Columns, []pgxguard.Column{{Name: "id", OID: 23}, {Name: "note", OID: 25}}) || !result.Verdict.Allowed() {
			t.Error(desk.name, result.Columns, result.Verdict)
		}
		receipt := result.Receipt
		if receipt.SQL() != own || receipt.Seal() != "none" || receipt.Role() != "postgres" || !receipt.Signed() || !strings.HasSuffix(receipt.StartedAt(), "Z") {
			t.Error(desk.name, receipt.JSON())
		}
		var whole struct {
			Rows    [][]*string `json:"rows"`
			Columns []struct{ Name, Type string }
		}
		if err := json.Unmarshal([]byte(receipt.JSON()), &whole); err != nil || len(whole.Rows) != 2 || whole.Columns[1].Type != "text" {
			t.Error(desk.name, receipt.JSON(), err)
		}
		if shown := fmt.Sprintf("%v %#v %s", receipt, receipt, result); strings.Contains(shown, "n2") || strings.Contains(shown, "SELECT") {
			t.Error(desk.name, "values in a log:", shown)
		}
	}
	if fmt.Sprintf("%v %#v", guard, guard) != fmt.Sprintf("%s %s", guard, guard) || strings.Contains(fmt.Sprintf("%#v", guard), "0707") {
		t.Errorf("a key in a log: %#v", guard)
	}
}

func TestParametersOfEveryTypeAreBound(t *testing.T) {
	guard := guardOf(t, policy(t), nil)
	for _, desk := range desks(t, common(t), guard) {
		result, err := desk.query(acme, "SELECT name FROM app.accounts WHERE account = $1 AND team = ANY($2)")
		if err != nil || !reflect.DeepEqual(texts(result.Texts), [][]string{{"one"}}) {
			t.Error(desk.name, result, err)
		}
	}
}

func TestMoreRowsThanThePolicyHasAreCut(t *testing.T) {
	server := common(t)
	for _, desk := range desks(t, server, guardOf(t, policy(t), nil)) {
		result, err := desk.query(acme, "SELECT id, mood FROM app.orders WHERE tenant_id = $1")
		if err != nil || len(result.Texts) != 5 || result.RowCount != 5 || !result.Truncated {
			t.Error(desk.name, result, err)
		}
		if !strings.Contains(result.Receipt.JSON(), `"type":"app.\"Mood\""`) {
			t.Error(desk.name, result.Receipt.JSON())
		}
	}
	for _, desk := range desks(t, server, guardOf(t, policy(t, "max_result_bytes: 10"), nil)) {
		result, err := desk.query(acme, "SELECT repeat('x', 4) AS x FROM app.orders WHERE tenant_id = $1")
		if err != nil || len(result.Texts) != 2 || !result.Truncated {
			t.Error(desk.name, result, err)
		}
	}
}

func TestDeniedTextsAreNotSent(t *testing.T) {
	server := common(t)
	var told []haltsql.Verdict
	guard := guardOf(t, policy(t), &pgxguard.Options{OnVerdict: func(verdict haltsql.Verdict, meta pgxguard.Meta) error {
		told = append(told, verdict)
		return nil
	}})
	for _, desk := range desks(t, server, guard) {
		for _, text := range []string{"SELECT note FROM app.orders", "DELETE FROM app.orders WHERE tenant_id = $1", "COMMIT"} {
			_, err := desk.query(acme, text)
			var denied *haltsql.DeniedError
			if !errors.As(err, &denied) || denied.Verdict.Allowed() || len(denied.Verdict.Codes()) == 0 {
				t.Fatal(desk.name, text, err)
			}
			if agent, err := denied.Verdict.ForAgent(); err != nil || !strings.Contains(agent, "denied:") || strings.Contains(denied.Error(), "note") {
				t.Error(desk.name, agent, err)
			}
		}
	}
	if len(told) != 15 || server.ask(t, "SELECT count(*)::int FROM app.orders") != 40 {
		t.Error(len(told))
	}
	// Where nothing is sent, no server is needed either.
	_, err := pgxguard.GuardedQueryTx(context.Background(), guard, (*pgx.Conn)(nil), acme, "SELECT note FROM app.orders")
	if denied := new(haltsql.DeniedError); !errors.As(err, &denied) {
		t.Error(err)
	}
	stop := errors.New("no audit, no query")
	strict := guardOf(t, policy(t), &pgxguard.Options{OnVerdict: func(haltsql.Verdict, pgxguard.Meta) error { return stop }})
	if _, err := pgxguard.GuardedQueryTx(context.Background(), strict, (*pgx.Conn)(nil), acme, own); !errors.Is(err, stop) {
		t.Error(err)
	}
}

func TestWritesAreCommittedAndReadsAreNot(t *testing.T) {
	server := shop(t)
	for at, desk := range desks(t, server, guardOf(t, policy(t), nil)) {
		id := 100 + at
		result, err := desk.exec(acme, fmt.Sprintf("INSERT INTO app.orders (id, tenant_id, note) VALUES (%d, $1, 'new') RETURNING id, note", id))
		if err != nil || result.RowCount != 1 || !reflect.DeepEqual(texts(result.Texts), [][]string{{fmt.Sprint(id), "new"}}) {
			t.Fatal(desk.name, result, err)
		}
		if result, err = desk.exec(acme, fmt.Sprintf("UPDATE app.orders SET note = 'changed' WHERE tenant_id = $1 AND id >= %d", id)); err != nil || result.RowCount != 1 {
			t.Fatal(desk.name, result, err)
		}
		if count := server.ask(t, fmt.Sprintf("SELECT count(*)::int FROM app.orders WHERE id = %d AND note = 'changed'", id)); count != 1 {
			t.Error(desk.name, count)
		}
		// A callback that fails leaves nothing written.
		stop := errors.New("stop")
		_, err = desk.run(context.Background(), acme, fmt.Sprintf("DELETE FROM app.orders WHERE tenant_id = $1 AND id = %d RETURNING id", id), true, func(row []any) error {
			if row[0] != int32(id) {
				t.Error(row)
			}
			return stop
		})
		if !errors.Is(err, stop) || server.ask(t, fmt.Sprintf("SELECT count(*)::int FROM app.orders WHERE id = %d", id)) != 1 {
			t.Error(desk.name, err)
		}
		// Nor does one that panics leave a transaction open.
		func() {
			defer func() { _ = recover() }()
			_, _ = desk.run(context.Background(), acme, own, false, func([]any) error { panic("a bug of the caller's") })
		}()
		seen := 0
		if desk.name == "sql.Conn" {
			// database/sql gives up a connection on which a panic passed.
			continue
		}
		if _, err := desk.run(context.Background(), acme, own, false, func([]any) error { seen++; return nil }); err != nil || seen != 2 {
			t.Error(desk.name, seen, err)
		}
		if result, err := desk.exec(acme, own); err != nil || result.RowCount != 2 {
			t.Error(desk.name, "a read in a transaction that may write:", result, err)
		}
	}
	waitFor(t, server, opened, 0)
}

func TestErrorsOfTheDatabaseAreRedacted(t *testing.T) {
	server := common(t)
	duplicate := "INSERT INTO app.orders (id, tenant_id, note) VALUES (2, $1, 'x')"
	for _, desk := range desks(t, server, guardOf(t, policy(t), nil)) {
		_, err := desk.exec(acme, duplicate)
		var said *haltsql.DatabaseError
		if !errors.As(err, &said) || said.SQLState != "23505" || said.Detail != "" || said.Cause != nil || strings.Contains(err.Error(), "orders") {
			t.Error(desk.name, err)
		}
		// And the next one runs, on the same connection.
		if _, err := desk.query(acme, own); err != nil {
			t.Error(desk.name, err)
		}
	}
	for _, desk := range desks(t, server, guardOf(t, policy(t), &pgxguard.Options{ShowErrors: true})) {
		_, err := desk.exec(acme, duplicate)
		var said *haltsql.DatabaseError
		if !errors.As(err, &said) || !strings.Contains(said.Detail, "(2)") || said.Cause == nil {
			t.Error(desk.name, err)
		}
	}
}

func TestMisuseIsAnErrorBeforeAnythingIsSent(t *testing.T) {
	server := common(t)
	ctx := context.Background()
	guard := guardOf(t, policy(t), nil)
	conn := connect(t, server.dsn("shop", "postgres"))
	expect := func(err error, code haltsql.ErrorCode, words string) {
		t.Helper()
		if !errors.Is(err, code) || !strings.Contains(err.Error(), words) {
			t.Errorf("%v", err)
		}
	}
	_, err := pgxguard.GuardedQueryTx(ctx, nil, conn, acme, own)
	expect(err, haltsql.ErrArgument, "no guard")
	_, err = pgxguard.GuardedQueryTx(ctx, guard, (*pgx.Conn)(nil), acme, own)
	expect(err, haltsql.ErrArgument, "no connection")
	_, err = pgxguard.New(nil, nil)
	expect(err, haltsql.ErrArgument, "no policy")
	_, err = pgxguard.New(policy(t), &pgxguard.Options{ReceiptKey: "none"})
	expect(err, haltsql.ErrArgument, "key")
	reads := guardOf(t, policyOf(t, fmt.Sprintf(shape, "enforce", "select", "", "")), nil)
	_, err = pgxguard.GuardedExecTx(ctx, reads, conn, acme, own)
	expect(err, haltsql.ErrArgument, "write")
	shadow := policyOf(t, fmt.Sprintf(shape, "shadow", "select", "", ""))
	_, err = pgxguard.GuardedQueryTx(ctx, guardOf(t, shadow, nil), conn, acme, own)
	expect(err, haltsql.ErrArgument, "shadow")
	if result, err := pgxguard.GuardedQueryTx(ctx, guardOf(t, shadow, &pgxguard.Options{AllowShadow: true}), conn, acme, own); err != nil || result.RowCount != 2 {
		t.Error(result, err)
	}
	owned := guardOf(t, policy(t, "settings: { app.owner: '{context.owner}' }"), nil)
	_, err = pgxguard.GuardedQueryTx(ctx, owned, conn, acme, own)
	expect(err, haltsql.ErrContext, "owner")

	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, err = pgxguard.GuardedQueryTx(ctx, guard, conn, acme, own)
	expect(err, haltsql.ErrArgument, "a transaction is open")
	// The single-statement form is for that.
	rows, err := pgxguard.GuardedQuery(ctx, guard, tx.Conn(), acme, own)
	if err != nil || !reflect.DeepEqual(texts(rows.Texts), [][]string{{"2", "n2"}, {"4", "n4"}}) {
		t.Error(rows, err)
	}
	if rows, err = pgxguard.GuardedExec(ctx, guard, tx.Conn(), acme, "DELETE FROM app.orders WHERE tenant_id = $1"); err != nil || rows.RowCount != 20 {
		t.Error(rows, err)
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Error(err)
	}
	if count := server.ask(t, "SELECT count(*)::int FROM app.orders"); count != 40 {
		t.Error(count)
	}
	latin := connect(t, server.dsn("shop", "postgres", "client_encoding=LATIN1"))
	_, err = pgxguard.GuardedQueryTx(ctx, guard, latin, acme, own)
	expect(err, haltsql.ErrArgument, "client_encoding")
	conn.Close(ctx)
	_, err = pgxguard.GuardedQueryTx(ctx, guard, conn, acme, own)
	if lost := new(haltsql.ConnectionError); !errors.As(err, &lost) {
		t.Error(err)
	}
}

func TestDatabaseSqlHasTheSingleStatementForms(t *testing.T) {
	server := common(t)
	guard := guardOf(t, policy(t), nil)
	ctx := context.Background()
	conn := sqlConn(t, server)
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := sqlguard.GuardedQuery(ctx, guard, conn, acme, own)
	if err != nil || rows.RowCount != 2 {
		t.Error(rows, err)
	}
	if rows, err = sqlguard.GuardedExec(ctx, guard, conn, acme, "UPDATE app.orders SET note = 'x' WHERE tenant_id = $1"); err != nil || rows.RowCount != 20 {
		t.Error(rows, err)
	}
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
	if count := server.ask(t, "SELECT count(*)::int FROM app.orders WHERE note = 'x'"); count != 0 {
		t.Error(count)
	}
}

func TestTheTextOfEveryTypeAndItsDigest(t *testing.T) {
	var table struct {
		Timezone string `json:"timezone"`
		Values   []struct {
			SQL, Type, Text string
			Digest          string `json:"result_sha256"`
		} `json:"values"`
	}
	if err := json.Unmarshal([]byte(read(t, root, "conformance", "receipts", "types.json")), &table); err != nil || len(table.Values) < 50 {
		t.Fatal(err, len(table.Values))
	}
	for _, desk := range desks(t, common(t), guardOf(t, policy(t, "timezone: "+table.Timezone), nil)) {
		for _, value := range table.Values {
			result, err := desk.query(acme, value.SQL)
			if err != nil {
				t.Error(desk.name, value.SQL, err)
				continue
			}
			if !reflect.DeepEqual(texts(result.Texts), [][]string{{value.Text}}) || result.Receipt.ResultSHA256() != value.Digest {
				t.Error(desk.name, value.SQL, texts(result.Texts), result.Receipt.JSON())
			}
		}
	}
}
