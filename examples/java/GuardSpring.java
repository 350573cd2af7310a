import dev.haltsql.Context;
import dev.haltsql.DeniedException;
import dev.haltsql.GuardedResult;
import dev.haltsql.JdbcGuard;
import dev.haltsql.Policy;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The guard in a program of Spring's: in a transaction of its own, and as a statement of one that Spring began.
 *
 * <pre>java --enable-native-access=ALL-UNNAMED -cp haltsql.jar:postgresql.jar:spring-jdbc.jar:… GuardSpring.java \
 *     "jdbc:postgresql://localhost/shop?user=agent"</pre>
 *
 * The database is the demo's shop (cli/src/demo/schema.sql).
 */
public final class GuardSpring {
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

    /** What the agent wrote. */
    private static final String SQL = "SELECT name FROM customers WHERE tenant_id = $1 ORDER BY name";

    private GuardSpring() {}

    public static void main(String[] arguments) {
        // Beans, in a program of Spring's.
        DataSource source = new DriverManagerDataSource(arguments[0]);
        JdbcTemplate template = new JdbcTemplate(source);
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(source));
        Context context = Context.of("tenant_id", "acme"); // from the login, never from the agent

        try (Policy policy = Policy.fromString(POLICY);
                JdbcGuard guard = JdbcGuard.of(policy)) {
            // What to take: a connection and a transaction of its own, pinned, with a receipt. No part of @Transactional.
            GuardedResult result = guard.queryInTransaction(source, context, SQL);
            System.out.printf("its own: %s, receipt %.12s%n", result.texts(), result.receipt().resultSha256());

            // Where a statement has to see what Spring's transaction did: nothing is pinned but what the program pins.
            List<String> names = transaction.execute(status -> {
                String path = "SELECT pg_catalog.set_config('search_path', ?, true)";
                template.queryForObject(path, String.class, policy.searchPathValue());
                return template.query(
                        connection -> guard.prepare(connection, context, SQL), (row, number) -> row.getString("name"));
            });
            System.out.printf("Spring's: %s%n", names);

            try {
                transaction.execute(status -> template.query(
                        connection -> guard.prepare(connection, context, "SELECT ssn FROM customers"), (row, number) -> row.getString(1)));
            } catch (DeniedException denied) {
                System.out.println(denied.verdict().forAgent()); // give this back to the agent
            }
        }
    }
}
