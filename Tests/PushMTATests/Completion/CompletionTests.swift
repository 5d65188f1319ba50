import Foundation
import Testing

/// Tests shell completion: the test calls the program as the generated script does when the tab key is
/// pressed.
struct CompletionTests {
    /// - Parameter words: The command line, whose last word is to be completed.
    private func complete(
        _ words: [String], argument: String, in workplace: Workplace
    ) async throws -> [String] {
        let command = words.prefix { !$0.hasPrefix("-") && !$0.isEmpty }.map(\.self)
        let request =
            ["---completion"] + command + ["--", argument, "\(words.count)", "0", "pushmta"] + words
        let finished = try await workplace.run(request)
        #expect(finished.status == 0)
        #expect(finished.errors.isEmpty)
        return finished.outputLines
    }

    @Test func `apps, services and deliveries are completed by name`() async throws {
        let workplace = try await Workplace.withApp()
        try workplace.write(
            """
            {"label": "Sale", "service": "neotrips", "target": {"all": true}, "allowEmpty": true,
             "content": {"title": "Sale"}}
            """, to: "sale.json")
        try await workplace.succeed("delivery", "submit", "sale.json")
        #expect(try await complete(["app", "show", ""], argument: "positional@0", in: workplace) == ["ios"])
        #expect(
            try await complete(["service", "show", ""], argument: "positional@0", in: workplace) == [
                "neotrips"
            ])
        #expect(
            try await complete(["delivery", "show", ""], argument: "positional@0", in: workplace) == ["1"])
        try workplace.write(#"{"content": {"title": "Sale"}}"#, to: "template.json")
        try await workplace.succeed("template", "save", "spring", "template.json", "--service", "neotrips")
        #expect(
            try await complete(["template", "show", ""], argument: "positional@0", in: workplace) == [
                "spring"
            ])
        #expect(
            try await complete(["send", "--template", ""], argument: "--template", in: workplace) == [
                "spring"
            ])
        #expect(
            try await complete(["subscribers", "export", "--app", ""], argument: "--app", in: workplace) == [
                "ios"
            ])
    }

    @Test(arguments: [["--config", "other/serverConf.xml"], ["--config=other/serverConf.xml"]])
    func `completions come from the instance that the command line names`(option: [String]) async throws {
        let workplace = try await Workplace.withApp()
        try workplace.write(Workplace.configuration(), to: "other/serverConf.xml")
        try await workplace.succeed(["service", "create", "elsewhere"] + option)
        let names = try await complete(
            ["service", "show"] + option + [""], argument: "positional@0", in: workplace)
        #expect(names == ["elsewhere"])
    }

    @Test(arguments: [
        nil, "<wrong", Workplace.configuration(), Workplace.configuration(store: "/proc/no/store"),
    ])
    func `if there are no names, completion prints nothing and creates nothing`(configuration: String?)
        async throws
    {
        let workplace = try Workplace(configuration: configuration)
        #expect(try await complete(["app", "show", ""], argument: "positional@0", in: workplace).isEmpty)
        #expect(!workplace.exists("var"))
    }

    @Test func `commands that create an object do not offer the existing names`() async throws {
        let workplace = try await Workplace.withApp()
        let script = try await workplace.succeed("--generate-completion-script", "bash").output
        for noun in ["service", "app", "webhook"] {
            #expect(!script.contains("---completion \(noun) create -- positional@0"))
            #expect(script.contains("---completion \(noun) update -- positional@0"))
        }
    }
}
