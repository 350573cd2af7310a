package dev.haltsql;

import static dev.haltsql.Support.JAR;
import static dev.haltsql.Support.NATIVE;
import static dev.haltsql.Support.POLICY_FILE;
import static dev.haltsql.Support.java;
import static dev.haltsql.Support.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the native library comes from, and what is said where it cannot be had. */
class LibraryTest {
    private static final String REFUSED = "7 VersionException: ";

    @TempDir Path folder;

    private Path genuine;

    @BeforeEach
    void copy() throws IOException {
        genuine = folder.resolve("genuine/libhaltsql_java.so");
        Files.createDirectories(genuine.getParent());
        try (ZipFile jar = new ZipFile(JAR.toFile());
                InputStream library = jar.getInputStream(jar.getEntry(NATIVE))) {
            Files.copy(library, genuine);
        }
    }

    @Test
    void outOfTheJarAndNothingIsLeftBehind() throws IOException {
        Path place = Files.createDirectory(folder.resolve("tmp"));
        String answer = once(List.of("-Djava.io.tmpdir=" + place), "show");
        String loaded = Pattern.quote(place.toString()) + "/haltsql-\\d+/libhaltsql_java\\.so \\(deleted\\)";
        assertTrue(answer.matches("allowed true\n\\[" + loaded + "]"), answer);
        try (Stream<Path> left = Files.list(place)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void theFolderIsPrivate() throws IOException {
        Path made = Library.privateFolder(folder.toString());
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(made)));
        assertEquals(folder, made.getParent());
        assertNotSame(made, Library.privateFolder(folder.toString()));
    }

    @Test
    void theOrderIsPropertyThenPathThenJar() throws IOException {
        Path other = stub("other", 2, "0.0.9");
        String path = "-Djava.library.path=/nonexistent::" + genuine.getParent();
        String otherPath = "-Djava.library.path=" + other.getParent();
        assertEquals("allowed true\n[" + genuine + "]", once(List.of(path), "show"));
        assertEquals("allowed true\n[" + genuine + "]", once(List.of("-Dhaltsql.library=" + genuine, otherPath), "show"));
        assertTrue(once(List.of(otherPath)).contains("`" + other + "` has ABI 2"));
        // With a folder for the jar's library that could not be used, nothing is unpacked.
        assertEquals("allowed true", once(List.of(path, "-Dhaltsql.tmpdir=/nonexistent")));
    }

    @Test
    void aLibraryOfAnotherVersionIsRefused() throws IOException {
        String version = HaltSql.version();
        String abi = once(List.of("-Dhaltsql.library=" + stub("abi", 2, version)));
        assertTrue(abi.startsWith(REFUSED) && abi.contains("has ABI 2, and haltsql " + version + " needs ABI 1"), abi);
        String older = once(List.of("-Dhaltsql.library=" + stub("older", 1, "0.0.9")));
        assertTrue(older.startsWith(REFUSED) && older.contains("is of haltsql 0.0.9, and the jar of " + version), older);
        Path none = compiled("none", "int nothing(void) { return 0; }");
        String other = once(List.of("-Dhaltsql.library=" + none));
        assertTrue(other.startsWith(REFUSED) && other.contains("is none of haltsql " + version), other);
    }

    @Test
    void aFileThatIsMissingOrBrokenIsExplained() throws IOException {
        Path broken = Files.writeString(folder.resolve("libbroken.so"), "no library".repeat(100));
        // The JVM may have a word of its own on such files.
        String answer = run(java(Programs.Once.class, List.of("-Dhaltsql.library=" + broken))).out();
        assertTrue(answer.startsWith(REFUSED + "the native library cannot be loaded") && answer.contains("glibc"), answer);
        for (String missing : List.of("/nonexistent.so", folder.toString(), "")) {
            assertEquals(
                    REFUSED + "-Dhaltsql.library is `" + missing + "`, and there is no such file",
                    once(List.of("-Dhaltsql.library=" + missing)));
        }
    }

    @Test
    void aJarWithAnotherLibraryIsRefused() throws IOException {
        Path doctored = repacked("doctored.jar", library -> {
            library[library.length - 1]++;
            return library;
        });
        String answer = once(classPath(doctored));
        assertTrue(answer.startsWith(REFUSED) && answer.contains("is not the one that it was made with"), answer);
        String stripped = once(classPath(repacked("stripped.jar", library -> null)));
        assertTrue(stripped.startsWith(REFUSED + "the native library is missing in this jar"), stripped);
    }

    @Test
    void aPlaceThatCannotBeWrittenToIsExplained() {
        for (String place : List.of("/proc", "/nonexistent", "/dev/null")) {
            String answer = once(List.of("-Dhaltsql.tmpdir=" + place));
            assertTrue(
                    answer.startsWith(REFUSED + "the native library cannot be written below `" + place + "` (")
                            && answer.endsWith("set -Dhaltsql.tmpdir to another folder, or -Dhaltsql.library to the file of the library"),
                    answer);
        }
    }

    @Test
    void aReadOnlyPlaceIsExplained() throws IOException {
        String answer = mounted("ro");
        assertTrue(answer.startsWith(REFUSED + "the native library cannot be written below"), answer);
        assertTrue(answer.contains("Read-only file system") && answer.contains("-Dhaltsql.tmpdir"), answer);
    }

    @Test
    void aPlaceWhereNothingMayRunIsExplained() throws IOException {
        String answer = mounted("noexec");
        assertTrue(answer.startsWith(REFUSED + "nothing below"), answer);
        assertTrue(answer.contains("mounted noexec?") && answer.contains("-Dhaltsql.tmpdir"), answer);
    }

    @Test
    void anotherSystemIsNamed() {
        assertEquals(
                REFUSED + "haltsql ships for Linux on x86-64 with glibc 2.34 or newer, and this is mac os x on aarch64",
                once(List.of("-Dos.name=Mac OS X", "-Dos.arch=aarch64")));
    }

    @Test
    void nativeAccessHasToBeAllowedWhereJavaAsks() {
        Support.Ended plain = run(java(Programs.Once.class, List.of("-Dmention=native-access")));
        assertEquals("allowed true", plain.out());
        // From Java 24 on a warning that names the option; before, nothing has to be allowed.
        boolean asks = Runtime.version().feature() >= 24;
        assertEquals(asks, plain.err().contains("--enable-native-access"), plain.err());
        if (asks) {
            String denied = once(List.of("--illegal-native-access=deny"));
            assertTrue(denied.startsWith(REFUSED + "this JVM does not allow native code"), denied);
            assertTrue(denied.contains("--enable-native-access=ALL-UNNAMED"), denied);
        }
    }

    @Test
    void theChecksOfJniAreAwake() throws IOException {
        // HostTest shows that they say nothing of ours: here is what they say of an exception that is overlooked.
        Path careless = compiled(
                "careless",
                """
                #include <jni.h>
                JNIEXPORT jint Java_dev_haltsql_Native_abiVersion(JNIEnv *env, jclass type) {
                    (*env)->FindClass(env, "dev/haltsql/None");
                    (*env)->NewByteArray(env, 1);
                    (*env)->ExceptionClear(env);
                    return 2;
                }
                """);
        Support.Ended ended = run(java(Programs.Once.class, List.of("-Xcheck:jni", "-Dhaltsql.library=" + careless)));
        assertTrue((ended.out() + ended.err()).contains("WARNING in native method"), ended.toString());
    }

    @Test
    void twoClassLoadersEachHaveTheirOwn() throws Exception {
        try (URLClassLoader one = loader();
                URLClassLoader other = loader()) {
            assertNotSame(check(one), check(other));
            for (int round = 0; round < 100; round++) {
                assertEquals(check(one).toString(), check(other).toString());
            }
        }
        // The one file of a property can be in one class loader alone: that is the JVM's rule.
        String path = "-Dhaltsql.library=" + genuine;
        assertEquals("true, refused", Support.printed(Loaders.class, List.of("-cp", Support.testClasses().toString(), path),
                JAR.toString(), POLICY_FILE.toString()));
    }

    @Test
    void aClassLoaderCanBeCollected() throws Exception {
        WeakReference<ClassLoader> loader = used();
        for (int attempt = 0; loader.get() != null && attempt < 200; attempt++) {
            System.gc();
            Thread.sleep(20);
        }
        assertNull(loader.get());
    }

    private static WeakReference<ClassLoader> used() throws Exception {
        try (URLClassLoader loader = loader()) {
            check(loader);
            return new WeakReference<>(loader);
        }
    }

    private static URLClassLoader loader() throws IOException {
        return Loaders.of(JAR);
    }

    private static Object check(ClassLoader loader) throws Exception {
        return Loaders.check(loader, POLICY_FILE);
    }

    private static String once(List<String> options, String... arguments) {
        return Support.printed(Programs.Once.class, options, arguments);
    }

    private static List<String> classPath(Path jar) {
        return List.of("-cp", jar + ":" + Support.testClasses());
    }

    /** What is said with a folder on a file system of its own, mounted so; in a namespace that ends with the program. */
    private String mounted(String option) throws IOException {
        Path place = Files.createDirectory(folder.resolve(option));
        String script = "mount -t tmpfs -o " + option + " none '" + place + "' && exec \"$@\"";
        List<String> program = java(Programs.Once.class, List.of("-Dhaltsql.tmpdir=" + place));
        for (String namespace : List.of("-m", "-rm")) {
            List<String> command = new ArrayList<>(List.of("unshare", namespace, "sh", "-c", script, "sh"));
            command.addAll(program);
            Support.Ended ended = run(command);
            if (ended.code() == 0) {
                return ended.out();
            }
        }
        throw new AssertionError("this test mounts a file system in a namespace of its own: run it as root, or allow user namespaces");
    }

    /** A copy of the jar with another library, or with none. */
    private Path repacked(String name, UnaryOperator<byte[]> change) throws IOException {
        Path target = folder.resolve(name);
        try (ZipFile jar = new ZipFile(JAR.toFile());
                OutputStream file = Files.newOutputStream(target);
                ZipOutputStream out = new ZipOutputStream(file)) {
            for (ZipEntry entry : jar.stream().toList()) {
                byte[] bytes;
                try (InputStream in = jar.getInputStream(entry)) {
                    bytes = in.readAllBytes();
                }
                bytes = entry.getName().equals(NATIVE) ? change.apply(bytes) : bytes;
                if (bytes != null) {
                    out.putNextEntry(new ZipEntry(entry.getName()));
                    out.write(bytes);
                }
            }
        }
        return target;
    }

    /** A library that says it were of that ABI and version, and can do nothing else. */
    private Path stub(String name, int abi, String version) throws IOException {
        return compiled(
                name,
                """
                #include <jni.h>
                #include <string.h>
                JNIEXPORT jint Java_dev_haltsql_Native_abiVersion(JNIEnv *env, jclass type) { return %d; }
                JNIEXPORT jbyteArray Java_dev_haltsql_Native_about(JNIEnv *env, jclass type) {
                    jbyte answer[] = "\\0\\0\\0\\0\\%o%s";
                    jsize length = sizeof answer - 1;
                    jbyteArray array = (*env)->NewByteArray(env, length);
                    (*env)->SetByteArrayRegion(env, array, 0, length, answer);
                    return array;
                }
                """
                        .formatted(abi, version.length(), version.replaceFirst("^", "\" \"")));
    }

    private Path compiled(String name, String source) throws IOException {
        Path place = Files.createDirectory(folder.resolve(name));
        Path file = Files.writeString(place.resolve("stub.c"), source);
        Path library = place.resolve("libhaltsql_java.so");
        // Of the JDK that Maven runs on: the Java that runs the tests may have no headers.
        String include = Path.of(System.getProperty("haltsql.test.javac")).getParent().resolveSibling("include").toString();
        Support.Ended ended = run(List.of(
                "cc", "-shared", "-fPIC", "-I" + include, "-I" + include + "/linux", "-o", library.toString(), file.toString()));
        assertEquals(0, ended.code(), ended.err());
        return library;
    }

    /** The package in class loaders of their own. */
    static final class Loaders {
        private Loaders() {}

        static URLClassLoader of(Path jar) throws IOException {
            return new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
        }

        /** A verdict of the package that this loader has. */
        static Object check(ClassLoader loader, Path policyFile) throws Exception {
            Class<?> policyType = loader.loadClass("dev.haltsql.Policy");
            Class<?> contextType = loader.loadClass("dev.haltsql.Context");
            Object context = contextType.getMethod("of", String.class, String.class).invoke(null, "tenant_id", "acme");
            Object policy = policyType.getMethod("fromFile", Path.class).invoke(null, policyFile);
            return policyType.getMethod("check", String.class, contextType).invoke(policy, "SELECT 1", context);
        }

        public static void main(String[] arguments) throws Exception {
            Path jar = Path.of(arguments[0]);
            Path policy = Path.of(arguments[1]);
            Object verdict = check(of(jar), policy);
            try {
                check(of(jar), policy);
                System.out.println("both");
            } catch (java.lang.reflect.InvocationTargetException error) {
                boolean told = error.getCause().getMessage().contains("put haltsql where both find it");
                System.out.println(verdict.toString().contains("allowed=true") + ", " + (told ? "refused" : error.getCause()));
            }
        }
    }
}
