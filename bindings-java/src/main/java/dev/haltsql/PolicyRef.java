package dev.haltsql;

import java.util.List;

/**
 * Which policy a verdict was made under.
 *
 * @param name the policy's {@code metadata.name}
 * @param version {@code sha256:} and the digest of the normalised policy
 * @param searchPath the schemas that names were looked up in: the verdict holds only in a session that has this search_path
 */
public record PolicyRef(String name, String version, List<String> searchPath) {
    /**
     * Keeps a copy of the list.
     *
     * @param name the policy's {@code metadata.name}
     * @param version {@code sha256:} and the digest of the normalised policy
     * @param searchPath the schemas that names were looked up in
     */
    public PolicyRef {
        searchPath = List.copyOf(searchPath);
    }
}
