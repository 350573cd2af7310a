// The header in C++17, twice, as a program of several files would have it.
#include "haltsql.h"
#include "haltsql.h"

#include <cstdio>
#include <memory>
#include <string_view>
#include <type_traits>

static_assert(std::is_trivially_copyable_v<haltsql_verdict>);
static_assert(std::is_same_v<haltsql_status, std::uint32_t>);

struct FreePolicy {
    void operator()(haltsql_policy *policy) const { haltsql_policy_free(&policy); }
};

int main() {
    constexpr std::string_view document = R"({"apiVersion":"haltsql.dev/v1","kind":"Policy","metadata":{"name":"p"},"spec":{"tables":{}}})";
    constexpr std::string_view sql = "SELECT 1", context = "{}";
    const auto bytes = [](std::string_view text) { return reinterpret_cast<const std::uint8_t *>(text.data()); };
    haltsql_policy *loaded = nullptr;
    if (haltsql_policy_load(bytes(document), document.size(), HALTSQL_FORMAT_AUTO, nullptr, 0, &loaded, nullptr) != HALTSQL_OK) {
        return 1;
    }
    const std::unique_ptr<haltsql_policy, FreePolicy> policy(loaded);
    haltsql_verdict verdict{};
    const auto status = haltsql_check(policy.get(), bytes(sql), sql.size(), bytes(context), context.size(), &verdict, nullptr);
    const bool allowed = status == HALTSQL_OK && verdict.allowed;
    haltsql_verdict_free(&verdict);
    std::puts(allowed ? "c++" : "denied");
    return allowed ? 0 : 1;
}
