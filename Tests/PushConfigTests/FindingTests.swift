import PushConfig
import Testing

@Suite struct FindingTests {
    @Test func `a finding has the format of a compiler's message`() {
        let finding = Finding(.warning, line: 3, column: 7, message: "odd")
        #expect(finding.text(inFile: "a.xml") == "a.xml:3:7: warning: odd")
        #expect(
            Finding(.error, line: 0, column: 0, message: "gone").text(inFile: "a.xml") == "a.xml: error: gone"
        )
    }

    @Test func `an error lists errors and warnings, but neither notes nor ignored settings`() {
        let found = Finding.Severity.allCases.map { Finding($0, line: 1, column: 1, message: $0.rawValue) }
        let error = ConfigurationError(cause: .refused, path: "a.xml", findings: found)
        #expect(error.description == "a.xml:1:1: warning: warning\na.xml:1:1: error: error")
        #expect(Finding.Severity.allCases.sorted() == [.ignored, .note, .warning, .error])
    }
}
