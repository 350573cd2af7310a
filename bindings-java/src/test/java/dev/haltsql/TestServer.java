package dev.haltsql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A throw-away PostgreSQL, as pgtemp starts them, on a port of the loopback: it ends with this program, however that ends. */
final class TestServer implements AutoCloseable {
    private static final int ATTEMPTS = 5;

    private final Process supervisor;
    private final int port;

    private TestServer(Process supervisor, int port) {
        this.supervisor = supervisor;
        this.port = port;
    }

    /** Starts one of a version: 16 or 18. */
    static TestServer start(int version) {
        String variable = version == 18 ? "HALTSQL_TEST_PG" : "HALTSQL_TEST_PG" + version;
        String prefix = System.getenv().getOrDefault(variable, ".build/postgres-" + version);
        String said = "";
        // Between the probe and the start somebody else may take the port.
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                int port = freePort();
                // Not inside a folder that only root may enter.
                Path folder = Files.createTempDirectory(Path.of("/tmp"), "haltsql-java-");
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
                Process process = new ProcessBuilder(List.of(
                                "sh", "-c", Support.read(Support.ROOT.resolve("pgtemp/src/supervise.sh")), "supervise",
                                folder.toString(), Support.ROOT.resolve(prefix).resolve("bin").toString(), Integer.toString(port)))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                said = output.readLine();
                if ("ready".equals(said)) {
                    return new TestServer(process, port);
                }
                said += "\n" + String.join("\n", output.lines().toList());
                process.destroy();
            } catch (IOException problem) {
                throw new UncheckedIOException(problem);
            }
        }
        throw new AssertionError("no server: " + said);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** More parameters of the URL, each as {@code name=value}. */
    String url(String database, String user, String... more) {
        return "jdbc:postgresql://127.0.0.1:%d/%s?user=%s&sslmode=disable%s"
                .formatted(port, database, user, more.length == 0 ? "" : "&" + String.join("&", more));
    }

    Connection connect(String user, String... more) {
        try {
            return DriverManager.getConnection(url("shop", user, more));
        } catch (SQLException problem) {
            throw new AssertionError(problem);
        }
    }

    /** Runs a script as the superuser. */
    void run(String database, String script) {
        try (Connection connection = DriverManager.getConnection(url(database, "postgres", "preferQueryMode=simple"));
                Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(script);
        } catch (SQLException problem) {
            throw new AssertionError(problem);
        }
    }

    /** One value, asked for by the superuser. */
    String ask(String query) {
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getString(1);
        } catch (SQLException problem) {
            throw new AssertionError(problem);
        }
    }

    /** Waits until a query says something. */
    void await(String query, String expected) {
        for (int attempt = 0; attempt < 600; attempt++) {
            if (expected.equals(ask(query))) {
                return;
            }
            pause(20);
        }
        throw new AssertionError(query + " is never " + expected);
    }

    static void pause(long milliseconds) {
        try {
            TimeUnit.MILLISECONDS.sleep(milliseconds);
        } catch (InterruptedException problem) {
            throw new AssertionError(problem);
        }
    }

    @Override
    public void close() {
        try {
            supervisor.getOutputStream().close();
            if (!supervisor.waitFor(1, TimeUnit.MINUTES)) {
                throw new AssertionError("the server does not stop");
            }
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        } catch (InterruptedException problem) {
            throw new AssertionError(problem);
        }
    }
}
