import Testing
import pushload

struct DatabaseServerTests {
    @Test func `without PostgreSQL, the error names the package to install`() {
        let message = "PostgreSQL 15 or newer is not installed; run 'sudo apt-get install postgresql'"
        #expect(throws: LoadError(message)) {
            _ = try DatabaseServer(below: "/absent", installedIn: "/absent/postgresql")
        }
    }
}
