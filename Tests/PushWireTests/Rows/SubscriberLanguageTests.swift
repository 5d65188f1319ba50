import PushModel
import PushWire
import Testing

/// Tests the facts in imported files. See also ``SubscriberCSVTests``.
@Suite struct SubscriberLanguageTests {
    private static let token = String(repeating: "ab", count: 32)
    private static let points = [ParameterDeclaration(name: "points", kind: .number)]

    private static func batch(
        _ text: String, _ format: SubscriberFormat = .csv, declared: [ParameterDeclaration] = []
    ) throws -> SubscriberBatch {
        var file = SubscriberFile(format, platform: .ios, declared: declared)
        var batch = SubscriberBatch()
        try file.feed(Array(text.utf8).span, into: &batch)
        try file.finish(into: &batch)
        return batch
    }

    @Test(arguments: [[], points])
    func `the language is read, and other facts are ignored`(declared: [ParameterDeclaration]) throws {
        let csv = try Self.batch(
            "osName,token,userKey,points,osLanguage,registeredAt\niOS,\(Self.token),anna,7,fr-FR,x\n",
            declared: declared)
        let expected = SubscriberRecord(
            token: Self.token, userKey: "anna", parametersJSON: #"{"points":"7"}"#, language: "fr-FR")
        #expect(csv.records == [expected] && csv.rejected.isEmpty)
        let lines = try Self.batch(
            #"{"token":"\#(Self.token)","userKey":"anna","osName":"iOS","osLanguage":"fr-FR","parameters":{"points":7}}"#,
            .jsonLines, declared: declared)
        #expect(lines.records == [expected] && lines.rejected.isEmpty)
    }

    @Test func `a parameter that the app declares keeps its column`() throws {
        let declared = [ParameterDeclaration(name: "osLanguage", kind: .text)]
        let batch = try Self.batch("token,userKey,osLanguage\n\(Self.token),,x\n", declared: declared)
        #expect(batch.records.first?.parametersJSON == #"{"osLanguage":"x"}"#)
        #expect(batch.records.first?.language == "")
    }

    @Test(arguments: [String(repeating: "x", count: 101), "fr\u{7}"])
    func `a language that is too long or not printable is rejected`(language: String) throws {
        let why = "osLanguage must have at most 100 printable characters"
        let batch = try Self.batch("token,userKey,osLanguage\n\(Self.token),,\(language)\n")
        #expect(batch.records.isEmpty && batch.rejected.map { "\($0.fault)" } == [why])
    }

    @Test func `a language that is not a text is rejected`() throws {
        let batch = try Self.batch(#"{"token":"\#(Self.token)","userKey":null,"osLanguage":7}"#, .jsonLines)
        #expect(batch.rejected.map { "\($0.fault)" } == ["osLanguage is an integer; use a string"])
    }
}
