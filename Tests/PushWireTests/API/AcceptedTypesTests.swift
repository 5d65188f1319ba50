import PushWire
import Testing

@Suite struct AcceptedTypesTests {
    @Test(arguments: [
        (["text/csv"], true), (["text/csv, */*"], true), (["*/*", "text/csv"], true),
        ([" Text/CSV ; q=0.9 , application/json;q=0.5"], true), (["text/csv;header=present;q=0.3"], true),
        ([], false), ([""], false), (["*/*"], false), (["application/json"], false),
        (["application/json, text/csv"], false), (["text/csv;q=0"], false), (["text/*"], false),
        (["text/csv;q=0.5, application/*"], false), (["text/csv;q=nan, */*"], false),
        (["text/csv;q=2"], false), ([",;q=1,;,,"], false), (["text/csvx"], false),
        ([String(repeating: "a/b,", count: 100) + "text/csv"], false),
    ])
    func `the table format is used if the client names this format and prefers it to the default`(
        headers: [String], isPreferred: Bool
    ) {
        #expect(AcceptedTypes(headers).prefer("text/csv", to: "application/json") == isPreferred)
    }
}
