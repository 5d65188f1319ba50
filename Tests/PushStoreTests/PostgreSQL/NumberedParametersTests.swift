import PushStore
import Testing

@Suite struct NumberedParametersTests {
    @Test(arguments: [
        ("SELECT 1", "SELECT 1", 0),
        ("WHERE a = ?1 AND b = ?12 OR c = ?2", "WHERE a = $1 AND b = $12 OR c = $2", 12),
        ("SELECT '?1', \"?2\", ?3", "SELECT '?1', \"?2\", $3", 3),
        ("SELECT 'it''s ?1' || ?1", "SELECT 'it''s ?1' || $1", 1),
        ("a - ?1 -- what is ?2\n AND ?3", "a - $1 -- what is ?2\n AND $3", 3),
        ("name = 'Zürich?' AND ?1", "name = 'Zürich?' AND $1", 1),
    ])
    func `parameter numbers are rewritten for PostgreSQL, except inside string literals`(
        text: String, expected: String, count: Int
    ) {
        let found = NumberedParameters(text)
        #expect(found.sql == expected && found.count == count)
    }

    @Test func `parameter numbers that a statement skips are found`() {
        #expect(NumberedParameters("WHERE a = ?1 AND b = ?4 OR c = ?6").unused == [2, 3, 5])
        #expect(NumberedParameters("SELECT ?2, ?1").unused == [])
        #expect(NumberedParameters("SELECT 1").unused == [])
    }
}
