import PushModel
import PushWire
import Testing

@Suite struct RegistrationAnswerTests {
    private func text(_ refusal: RegistrationRefusal?) -> String {
        String(decoding: RegistrationAnswer.body(refusal), as: UTF8.self)
    }

    @Test func `a registration is confirmed, and an unknown key has an answer different from other errors`() {
        let head = #"<?xml version="1.0" encoding="UTF-8"?><register status="#
        #expect(text(nil) == head + #""ok"/>"#)
        let unknown = text(.unknownKey)
        #expect(unknown.hasPrefix(head + #""error" code="UNKNOWN_UUID" message="no app on this platform"#))
        #expect(unknown.contains("'pushmta app show NAME' prints"))
        #expect(RegistrationRefusal.unknownKey.httpStatus == 404)
        let other = RegistrationRefusal.otherPlatform(page: RegistrationPage.ios)
        #expect(other.httpStatus == 404 && other.code == "UNKNOWN_UUID")
        #expect(text(other).contains("its devices register with registerIOS.jssp"))
        let others: [RegistrationRefusal] = [
            .busy, .failed, .tooLarge(limit: 1), .missing(field: "a"), .token(allowed: "b"),
            .parameters(why: "c"),
            .parameter(name: "d", wanted: "e"),
        ]
        for other in others {
            #expect(other.code != "UNKNOWN_UUID" && other.httpStatus != 404 && other.httpStatus != 200)
        }
    }

    @Test func `foreign text cannot break out of the answer`() {
        #expect(
            text(.parameters(why: #"1:2: "<a>" & more"#)).hasSuffix(
                #"message="additionalParams: 1:2: &quot;&lt;a&gt;&quot; &amp; more"/>"#))
    }
}

@Suite struct ParameterCheckTests {
    private static let declared: [ParameterDeclaration] = [
        ParameterDeclaration(name: "city", kind: .text), ParameterDeclaration(name: "points", kind: .number),
        ParameterDeclaration(name: "born", kind: .date), ParameterDeclaration(name: "vip", kind: .boolean),
    ]

    private func checked(_ parameters: KeyValuePairs<String, String>) throws(RegistrationRefusal)
        -> CheckedParameters
    {
        try ParameterDeclaration.checked(
            parameters.map { RegistrationParameter(name: $0, value: $1) }, against: Self.declared)
    }

    @Test func `an app that declares parameters keeps the declared ones and reports all others`() throws {
        let found = try checked(["city": "Paris", "shoe": "42", "points": "", "cty": ""])
        #expect(found.kept == [RegistrationParameter(name: "city", value: "Paris")])
        #expect(found.emptied == ["points"])
        #expect(found.undeclared == ["shoe", "cty"])
    }

    @Test func `an app that declares no parameters keeps all parameters`() throws {
        let any = [
            RegistrationParameter(name: "shoe", value: "42"), RegistrationParameter(name: "hat", value: ""),
        ]
        let found = try ParameterDeclaration.checked(any, against: [])
        #expect(found.kept == any && found.undeclared.isEmpty)
    }

    @Test func `a name in another Unicode composition is kept as declared, once and in its place`() throws {
        let (composed, decomposed) = ("\u{e9}tat", "e\u{301}tat")
        let given = [decomposed, "point", composed].map { RegistrationParameter(name: $0, value: "7") }
        let declared = ["point", composed].map { ParameterDeclaration(name: $0, kind: .number) }
        let kept = try ParameterDeclaration.checked(given, against: declared).kept
        #expect(kept.map { Array($0.name.utf8) } == [Array("point".utf8), Array(composed.utf8)])
    }

    @Test(
        arguments: [
            (
                "points", ["0", "-12", "3.14", "1.0E10", "+7", "007", "1e-3"],
                ["a", "1,5", "1.", ".5", "NaN", "0x1F", "1e", "--1", " 1"]
            ),
            (
                "born",
                [
                    "1971-02-28", "1904-02-29", "2024-02-29", "2026-01-31T08:30:00Z",
                    "2026-01-31T08:30:00.250Z",
                ],
                [
                    "2023-02-29", "1900-02-29", "0000-01-01", "31.1.2026", "2026-13-01", "2026-1-1", "today",
                    "2026-02-28T08:30:00",
                ]
            ),
            ("vip", ["true", "false"], ["TRUE", "1", "yes"]),
        ] as [(String, [String], [String])])
    func `the report names a value whose type differs from the declared type`(
        name: String, good: [String], bad: [String]
    )
        throws
    {
        for value in good { #expect(try checked([name: value]).kept.count == 1, "\(value)") }
        for value in bad {
            do {
                _ = try checked([name: value])
                Issue.record("\(value) was taken")
            } catch {
                guard case .parameter(name, _) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(
                    error.code == "INVALID_PARAMETER"
                        && !error.description.contains(value.count > 2 ? value : "?"))
            }
        }
    }
}
