import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.haltsql.Context;
import dev.haltsql.DeniedException;
import dev.haltsql.GuardedResult;
import dev.haltsql.JdbcGuard;
import dev.haltsql.Policy;
import java.util.List;

/**
 * What an agent writes, run through the guard on a pool of pgjdbc's connections: rows with a receipt, or what to mend.
 *
 * <pre>java --enable-native-access=ALL-UNNAMED -cp haltsql.jar:postgresql.jar:HikariCP.jar:slf4j-api.jar GuardPgjdbc.java \
 *     "jdbc:postgresql://localhost/shop?user=agent"</pre>
 *
 * The database is the demo's shop (cli/src/demo/schema.sql).
 */
public final class GuardPgjdbc {
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
                  hidden: [email, ssn]
            """;

    /** Of the agent, one after another: each answer shows it what to mend. */
    private static final List<String> QUERIES = List.of(
            "SELECT name, email FROM customers", "SELECT name FROM customers WHERE tenant_id = $1 ORDER BY name");

    private GuardPgjdbc() {}

    public static void main(String[] arguments) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        // The context comes from the login, never from the agent.
        Context context = Context.of("tenant_id", "acme");
        try (Policy policy = Policy.fromString(POLICY);
                JdbcGuard guard = JdbcGuard.of(policy);
                HikariDataSource pool = new HikariDataSource(config)) {
            for (String sql : QUERIES) {
                try {
                    GuardedResult result = guard.queryInTransaction(pool, context, sql);
                    List<Object> names = result.rows().stream().map(row -> row.get(0)).toList();
                    System.out.printf("%s, as receipt %.12s says%n", names, result.receipt().resultSha256());
                } catch (DeniedException denied) {
                    System.out.printf("%s%n%n", denied.verdict().forAgent());
                }
            }
        }
    }
}
