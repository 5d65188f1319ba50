import PushModel
import PushWire
import Testing

/// Tests subscriber files for an app that declares its parameters.
@Suite struct SubscriberCSVParametersTests {
    private static let declared = [
        ParameterDeclaration(name: "city", kind: .text), ParameterDeclaration(name: "points", kind: .number),
        ParameterDeclaration(name: "born", kind: .date), ParameterDeclaration(name: "vip", kind: .boolean),
    ]

    private func read(
        _ text: String, declared: [ParameterDeclaration] = Self.declared
    ) throws(WireError) -> SubscriberBatch {
        var csv = SubscriberCSV(platform: .ios, declared: declared)
        var batch = SubscriberBatch()
        try csv.feed(Array(text.utf8).span, into: &batch)
        try csv.finish(into: &batch)
        return batch
    }

    private func refusal(of header: String) -> String? {
        do throws(WireError) {
            _ = try read("\(header)\n")
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `a file may have any declared parameter, and an empty cell means no value`() throws {
        let batch = try read(
            "vip,registrationToken,userKey,points\ntrue,ab,u,-12.5\n,cd,u,\nfalse,ef,u,+7\n")
        #expect(batch.rejected.isEmpty)
        #expect(
            batch.records.map(\.parametersJSON) == [
                #"{"points":"-12.5","vip":"true"}"#, nil, #"{"points":"+7","vip":"false"}"#,
            ])
        #expect(try read("userKey,registrationToken\nu,ab\n").records.count == 1)
    }

    @Test(arguments: [
        ("colour", "colour"), ("city,colour,size", "colour, size"), ("City", "City"),
        ("a\u{1B}b", "a\("\u{1B}".printable())b"),
    ])
    func `a file with an undeclared column is refused, and the error names the column`(
        columns: String, named: String
    ) throws {
        let problem = try #require(refusal(of: "registrationToken,userKey,\(columns)"))
        #expect(problem.hasPrefix("line 1: unknown parameters: "))
        #expect(problem.contains("parameters: \(named); the app declares "))
        #expect(problem.contains("city:text, points:number, born:date, vip:boolean"))
        #expect(problem.contains("rename the column (case matters), remove it, or declare it"))
    }

    @Test func `a column with another Unicode composition is recognised as the declared parameter`() throws {
        let declared = [ParameterDeclaration(name: "\u{e9}tat", kind: .number)]
        let batch = try read("registrationToken,userKey,e\u{301}tat\nab,u,7\ncd,u,x\n", declared: declared)
        let json = try #require(batch.records.first?.parametersJSON)
        #expect(Array(json.utf8) == Array("{\"\u{e9}tat\":\"7\"}".utf8))
        #expect(batch.rejected.count == 1)
    }

    @Test func `the reported line is the line of the header, whatever precedes it`() throws {
        #expect(
            refusal(of: "\n\nregistrationToken,userKey,x")?.hasPrefix("line 3: unknown parameters: x;")
                == true)
    }

    @Test(
        arguments: [
            ("points", "many", "a number, like -12.5"), ("vip", "yes", "true or false"),
            ("born", "31.01.2026", "a date, such as 2026-01-31 or 2026-01-31T08:30:00Z"),
        ])
    func `a row with a cell of the wrong type is rejected, and the reason does not repeat the cell`(
        column: String, value: String, wanted: String
    ) throws {
        let batch = try read(
            "registrationToken,userKey,\(column)\nab,u,\(value)\ncd,u,\n\"ef\",u,\"\(value)\"\n")
        #expect(batch.records.map(\.token) == ["cd"])
        let fault = RowFault.wrongKind(column: column, wanted: wanted)
        #expect(
            batch.rejected == [RejectedRow(line: 2, fault: fault), RejectedRow(line: 4, fault: fault)])
        #expect(
            batch.rejected.first?.description == "line 2: column \(column): this app requires \(wanted)")
        for rejected in batch.rejected { #expect(!rejected.description.contains(value)) }
    }

    @Test(arguments: [
        "", "x", "7", "-12.5", "1e5", "0x10", "true", "True", "2026-01-31", "2026-13-01", "1951-02-28", "NaN",
    ])
    func `a list can contain the same parameters as a registration`(value: String) throws {
        for declaration in Self.declared {
            let given = RegistrationParameter(name: declaration.name, value: value)
            let registers = (try? ParameterDeclaration.checked([given], against: [declaration])) != nil
            let batch = try read(
                "registrationToken,userKey,\(declaration.name)\nab,u,\(value)\n", declared: [declaration])
            #expect(batch.records.isEmpty == !registers, "\(declaration.name): \(value)")
        }
    }

    @Test func `an app that declares no parameters accepts all of them`() throws {
        let batch = try read("registrationToken,userKey,points\nab,u,many\n", declared: [])
        #expect(batch.records.map(\.parametersJSON) == [#"{"points":"many"}"#])
    }
}
