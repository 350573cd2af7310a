package dev.haltsql;

import static dev.haltsql.Support.HERE;
import static dev.haltsql.Support.JAR;
import static dev.haltsql.Support.NATIVE;
import static dev.haltsql.Support.ROOT;
import static dev.haltsql.Support.run;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar: what is in it, and that it is what is tested. */
class PackageTest {
    @Test
    void itHoldsThePackageTheLibraryAndTheLicences() throws IOException {
        try (ZipFile jar = new ZipFile(JAR.toFile())) {
            Set<String> others = jar.stream()
                    .map(ZipEntry::getName)
                    .filter(name -> !name.endsWith("/") && !name.startsWith("dev/haltsql/"))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(
                    Set.of(
                            "META-INF/MANIFEST.MF", "META-INF/LICENSE-APACHE", "META-INF/LICENSE-MIT",
                            "META-INF/LICENSE-THIRD-PARTY", NATIVE, NATIVE + ".sha256", "module-info.class",
                            "META-INF/maven/dev.haltsql/haltsql/pom.xml", "META-INF/maven/dev.haltsql/haltsql/pom.properties"),
                    others);
            for (String licence : List.of("LICENSE-APACHE", "LICENSE-MIT", "LICENSE-THIRD-PARTY")) {
                assertArrayEquals(Files.readAllBytes(ROOT.resolve(licence)), bytes(jar, "META-INF/" + licence));
            }
            assertArrayEquals(Files.readAllBytes(Support.built("libhaltsql_java.so")), bytes(jar, NATIVE));
            for (ZipEntry entry : jar.stream().toList()) {
                // Of Java 17: 61.
                byte[] bytes = bytes(jar, entry.getName());
                assertTrue(!entry.getName().endsWith(".class") || bytes[7] == 61, entry.getName());
            }
        }
    }

    @Test
    void whatIsTestedIsTheJar() throws Exception {
        assertEquals(JAR.toUri().toURL(), Policy.class.getProtectionDomain().getCodeSource().getLocation());
    }

    @Test
    void itIsAModuleThatNeedsNothing() {
        ModuleDescriptor module = ModuleFinder.of(JAR).find("dev.haltsql").orElseThrow().descriptor();
        assertFalse(module.isAutomatic() || module.isOpen());
        assertEquals(Set.of("dev.haltsql"), module.exports().stream().map(ModuleDescriptor.Exports::source).collect(Collectors.toSet()));
        Set<String> needed = module.requires().stream()
                .filter(other -> !other.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
                .map(ModuleDescriptor.Requires::name)
                .collect(Collectors.toSet());
        assertEquals(Set.of("java.base"), needed);
    }

    @Test
    void whoOnlyChecksNeedsNeitherADriverNorJdbc() {
        assertEquals("allowed true", Support.printed(Programs.Once.class, List.of("--limit-modules", "java.base")));
        // And who guards without a driver is told what is missing.
        String said = Support.printed(Programs.NoDriver.class, List.of());
        assertTrue(said.startsWith("7 pgjdbc is missing") && said.endsWith("add org.postgresql:postgresql 42.7.3 or newer"), said);
    }

    @Test
    void theVersionIsThatOfTheProject() throws IOException {
        String version = HaltSql.version();
        assertTrue(Support.read(ROOT.resolve("Cargo.toml")).contains("\nversion = \"" + version + "\"\n"));
        assertTrue(Support.read(HERE.resolve("pom.xml"))
                .contains("<artifactId>haltsql</artifactId>\n    <version>" + version + "</version>"));
        assertTrue(HaltSql.postgresVersion().startsWith("18."));
        try (JarFile jar = new JarFile(JAR.toFile())) {
            Manifest manifest = jar.getManifest();
            assertEquals(version, manifest.getMainAttributes().getValue("Implementation-Version"));
        }
    }

    @Test
    void everyDependencyAndPluginIsPinned() {
        String pom = Support.read(HERE.resolve("pom.xml"));
        int entries = 0;
        for (String kind : List.of("plugin", "dependency")) {
            var blocks = Pattern.compile("<" + kind + ">(.*?)</" + kind + ">", Pattern.DOTALL).matcher(pom);
            while (blocks.find()) {
                entries++;
                assertTrue(Pattern.compile("<version>[0-9.]+</version>").matcher(blocks.group(1)).find(), blocks.group(1));
            }
        }
        assertTrue(entries > 12, entries + " were read");
        assertFalse(pom.contains("<repository>") || pom.contains("<pluginRepository>"));
    }

    @Test
    void theLibraryShowsItsMethodsAloneAndStaysLoaded(@TempDir Path folder) throws IOException {
        Path library = extracted(folder);
        String symbols = run(List.of("nm", "-D", "--defined-only", library.toString())).out();
        Set<String> shown = symbols.lines()
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> declared = java.util.Arrays.stream(Native.class.getDeclaredMethods())
                .filter(method -> java.lang.reflect.Modifier.isNative(method.getModifiers()))
                .map(method -> "Java_dev_haltsql_Native_" + method.getName())
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(declared, shown);
        String dynamic = run(List.of("readelf", "-d", library.toString())).out();
        assertTrue(dynamic.contains("NODELETE"));
        Set<String> needed = Pattern.compile("NEEDED.*\\[(.*)]").matcher(dynamic).results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        needed.removeAll(Set.of(
                "libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2"));
        assertEquals(Set.of(), needed);
        // What the README promises of systems: no symbol of a newer C library.
        String versions = run(List.of("readelf", "-V", library.toString())).out();
        int newest = Pattern.compile("GLIBC_2\\.(\\d+)").matcher(versions).results()
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .max()
                .orElseThrow();
        assertTrue(newest <= 34, "GLIBC_2." + newest);
    }

    @Test
    void theMarkerOfTheCoreThatPanicsIsNotInIt(@TempDir Path folder) throws IOException {
        String marker = "HALTSQL_" + "WEAKENED";
        assertTrue(latin1(Support.built("libhaltsql_java_weakened.so")).contains(marker));
        assertFalse(latin1(extracted(folder)).contains(marker));
    }

    private static Path extracted(Path folder) throws IOException {
        try (ZipFile jar = new ZipFile(JAR.toFile())) {
            return Files.write(folder.resolve("libhaltsql_java.so"), bytes(jar, NATIVE));
        }
    }

    private static String latin1(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(ZipFile jar, String name) throws IOException {
        try (InputStream in = jar.getInputStream(jar.getEntry(name))) {
            return in.readAllBytes();
        }
    }
}
