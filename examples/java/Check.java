import dev.haltsql.BindParam;
import dev.haltsql.Caller;
import dev.haltsql.Context;
import dev.haltsql.HaltSqlException;
import dev.haltsql.Policy;
import dev.haltsql.Verdict;
import java.util.List;

/**
 * What an agent writes, judged before anything is sent to PostgreSQL, and what the agent is told.
 *
 * <pre>java --enable-native-access=ALL-UNNAMED -cp haltsql-0.1.0.jar Check.java</pre>
 */
public final class Check {
    private static final String POLICY =
            """
            apiVersion: haltsql.dev/v1
            kind: Policy
            metadata:
              name: analytics-agent
            spec:
              search_path: [app]
              tenancy:
                keys:
                  - { column: tenant_id, context: tenant_id }
              tables:
                app.customers:
                  columns: [id, tenant_id, name, region]
                  hidden: [email]
                  complete: true
            """;

    /** Of the agent, one after another: each answer shows it what to mend. */
    private static final List<String> QUERIES = List.of(
            "SELECT name FROM customers WHERE tenant_id = $1",
            "SELECT name, email FROM customers",
            "SELECT region, count(*) FROM customers WHERE tenant_id = $1 GROUP BY region",
            "DROP TABLE customers");

    private Check() {}

    public static void main(String[] arguments) {
        // The context comes from the login, never from the agent.
        Context context = Context.of("tenant_id", "acme");
        try (Policy policy = Policy.fromString(POLICY);
                Caller caller = policy.forContext(context)) {
            for (String sql : QUERIES) {
                judge(policy, caller, sql);
            }
        }
    }

    private static void judge(Policy policy, Caller caller, String sql) {
        try {
            Verdict verdict = caller.check(sql);
            if (verdict.allowed()) {
                List<BindParam> binds = verdict.bindParams();
                System.out.printf(
                        "allowed: %s%n  bind %s, in a transaction with search_path %s%n%n",
                        sql, binds, policy.searchPathValue());
            } else {
                System.out.printf("%s%n%n", verdict.forAgent());
            }
        } catch (HaltSqlException error) {
            System.out.printf("no check happened, so nothing runs: %s%n", error.getMessage());
        }
    }
}
