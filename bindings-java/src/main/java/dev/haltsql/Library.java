package dev.haltsql;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where the native library comes from: a file that a property names, a folder of {@code java.library.path}, or else the jar.
 *
 * <p>Every failure is a {@link VersionException} that says what to do next. A library out of the jar goes into a new folder that
 * nobody else may enter, is compared with its digest there, and is deleted once it is loaded: nothing is left behind, nothing
 * that another user or an older version wrote is ever loaded, and each class loader has a file of its own, as JVMs ask for.
 */
final class Library {
    /** The library's file. */
    static final String FILE_PROPERTY = "haltsql.library";

    /** Where the library of the jar is put for a moment, instead of {@code java.io.tmpdir}. */
    static final String FOLDER_PROPERTY = "haltsql.tmpdir";

    private static final String NAME = "haltsql_java";
    private static final String RESOURCE = "/META-INF/native/dev.haltsql/linux-x86_64/libhaltsql_java.so";
    private static final String NEEDS = "haltsql ships for Linux on x86-64 with glibc 2.34 or newer";
    private static final String INSTEAD = "set -D%s to another folder, or -D%s to the file of the library"
            .formatted(FOLDER_PROPERTY, FILE_PROPERTY);

    private Library() {}

    /**
     * Loads the library.
     *
     * @return its place, for messages
     */
    static String load() {
        String named = System.getProperty(FILE_PROPERTY);
        if (named != null) {
            return load(existing(named));
        }
        Path installed = installed();
        return installed == null ? loadFromJar() : load(installed);
    }

    private static Path existing(String named) {
        try {
            Path file = Path.of(named).toAbsolutePath();
            if (Files.isRegularFile(file)) {
                return file;
            }
        } catch (InvalidPathException problem) {
            // Refused as every other name without a file.
        }
        throw new VersionException("-D%s is `%s`, and there is no such file".formatted(FILE_PROPERTY, named));
    }

    private static @Nullable Path installed() {
        String file = System.mapLibraryName(NAME);
        for (String folder : System.getProperty("java.library.path", "").split(File.pathSeparator)) {
            try {
                Path candidate = Path.of(folder).toAbsolutePath().resolve(file);
                if (!folder.isEmpty() && Files.isRegularFile(candidate)) {
                    return candidate;
                }
            } catch (InvalidPathException problem) {
                // A folder that cannot exist holds no library.
            }
        }
        return null;
    }

    private static String loadFromJar() {
        String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        if (!system.equals("linux") || !(machine.equals("amd64") || machine.equals("x86_64"))) {
            throw new VersionException("%s, and this is %s on %s".formatted(NEEDS, system, machine));
        }
        byte[] library = resource(RESOURCE);
        String digest = new String(resource(RESOURCE + ".sha256"), StandardCharsets.US_ASCII).strip();
        String base = System.getProperty(FOLDER_PROPERTY, System.getProperty("java.io.tmpdir", "/tmp"));
        Path folder = null;
        try {
            folder = privateFolder(base);
            Path file = Files.write(folder.resolve(System.mapLibraryName(NAME)), library);
            // Of what was written, not of what was to be written: a full disk or a scanner may have changed it.
            if (!digest.equals(sha256(Files.readAllBytes(file)))) {
                throw new VersionException(
                        "the native library in the jar of haltsql %s is not the one that it was made with: install it again"
                                .formatted(HaltSql.version()));
            }
            return load(file);
        } catch (IOException | InvalidPathException | UncheckedIOException problem) {
            throw new VersionException(
                    "the native library cannot be written below `%s` (%s): %s".formatted(base, problem, INSTEAD), problem);
        } finally {
            delete(folder);
        }
    }

    /** A new folder that only this user can enter. */
    static Path privateFolder(String base) throws IOException {
        Path place = Path.of(base).toAbsolutePath();
        if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
            var ours = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
            return Files.createTempDirectory(place, "haltsql-", ours);
        }
        return Files.createTempDirectory(place, "haltsql-");
    }

    // The one restricted method that is called: README.md says how a JVM is told to allow it.
    @SuppressWarnings("restricted")
    private static String load(Path file) {
        try {
            System.load(file.toString());
            return "`" + file + "`";
        } catch (UnsatisfiedLinkError problem) {
            throw new VersionException(reason(file, String.valueOf(problem.getMessage())), problem);
        } catch (RuntimeException problem) {
            // IllegalCallerException of Java 24 and later.
            throw new VersionException(
                    "this JVM does not allow native code (%s): start it with --enable-native-access=dev.haltsql, or on a class path with --enable-native-access=ALL-UNNAMED"
                            .formatted(problem.getMessage()),
                    problem);
        }
    }

    private static String reason(Path file, String said) {
        if (said.contains("another classloader")) {
            return "`%s` is loaded by another class loader of this JVM: put haltsql where both find it, or leave -D%s out, so that each takes the library of its jar"
                    .formatted(file, FILE_PROPERTY);
        }
        if (said.contains("failed to map segment") || said.contains("Operation not permitted")) {
            return "nothing below `%s` may be run (mounted noexec?): %s".formatted(file.getParent(), INSTEAD);
        }
        return "the native library cannot be loaded (%s): %s".formatted(said.replace('\n', ' '), NEEDS);
    }

    private static byte[] resource(String name) {
        try (InputStream stream = Library.class.getResourceAsStream(name)) {
            if (stream != null) {
                return stream.readAllBytes();
            }
        } catch (IOException problem) {
            throw new VersionException("the jar of haltsql cannot be read (%s)".formatted(problem), problem);
        }
        throw new VersionException(
                "the native library is missing in this jar: a jar that was packed again has to keep META-INF/native, or set -D%s to the file of the library"
                        .formatted(FILE_PROPERTY));
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException impossible) {
            // Every Java platform has it: java.security.MessageDigest.
            throw new VersionException("this Java has no SHA-256", impossible);
        }
    }

    private static void delete(@Nullable Path folder) {
        if (folder == null) {
            return;
        }
        try {
            Files.deleteIfExists(folder.resolve(System.mapLibraryName(NAME)));
            Files.deleteIfExists(folder);
        } catch (IOException problem) {
            // A file that stays is a nuisance, and no reason to refuse.
        }
    }
}
