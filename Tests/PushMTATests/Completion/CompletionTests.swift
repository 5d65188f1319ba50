import Foundation
import Testing

/// Tests shell completion: the test calls the program as the generated script does when the user presses the
/// tab key.
struct CompletionTests {
    /// - Parameter words: The command line, whose last word is to be completed.
    private func complete(
        _ words: [String], argument: String, in workspace: Workspace
    ) async throws -> [String] {
        let command = words.prefix { !$0.hasPrefix("-") && !$0.isEmpty }.map(\.self)
        let request =
            ["---completion"] + command + ["--", argument, "\(words.count)", "0", "pushmta"] + words
        let finished = try await workspace.run(request)
        #expect(finished.status == 0)
        #expect(finished.errors.isEmpty)
        return finished.outputLines
    }

    @Test func `names of apps, services and deliveries are completed`() async throws {
        let workspace = try await Workspace.withApp()
        try workspace.write(
            """
            {"label": "Sale", "service": "neotrips", "target": {"all": true}, "allowEmpty": true,
             "content": {"title": "Sale"}}
            """, to: "sale.json")
        try await workspace.succeed("delivery", "submit", "sale.json")
        #expect(try await complete(["app", "show", ""], argument: "positional@0", in: workspace) == ["ios"])
        #expect(
            try await complete(["service", "show", ""], argument: "positional@0", in: workspace) == [
                "neotrips"
            ])
        #expect(
            try await complete(["delivery", "show", ""], argument: "positional@0", in: workspace) == ["1"])
        try workspace.write(#"{"content": {"title": "Sale"}}"#, to: "template.json")
        try await workspace.succeed("template", "save", "spring", "template.json", "--service", "neotrips")
        #expect(
            try await complete(["template", "show", ""], argument: "positional@0", in: workspace) == [
                "Android", "iOS", "spring",
            ])
        #expect(
            try await complete(["send", "--template", ""], argument: "--template", in: workspace) == [
                "Android", "iOS", "spring",
            ])
        #expect(
            try await complete(["subscribers", "export", "--app", ""], argument: "--app", in: workspace) == [
                "ios"
            ])
    }

    @Test(arguments: [["--config", "other/serverConf.xml"], ["--config=other/serverConf.xml"]])
    func `completions come from the instance that is named in the command line`(option: [String]) async throws
    {
        let workspace = try await Workspace.withApp()
        try workspace.write(Workspace.configuration(), to: "other/serverConf.xml")
        try await workspace.succeed(["service", "create", "elsewhere"] + option)
        let names = try await complete(
            ["service", "show"] + option + [""], argument: "positional@0", in: workspace)
        #expect(names == ["elsewhere"])
    }

    @Test(arguments: [
        nil, "<wrong", Workspace.configuration(), Workspace.configuration(store: "/proc/no/store"),
    ])
    func `completion prints nothing and creates nothing if there are no names`(configuration: String?)
        async throws
    {
        let workspace = try Workspace(configuration: configuration)
        #expect(try await complete(["app", "show", ""], argument: "positional@0", in: workspace).isEmpty)
        #expect(!workspace.exists("var"))
    }

    @Test func `commands that create an object do not offer existing names`() async throws {
        let workspace = try await Workspace.withApp()
        let script = try await workspace.succeed("--generate-completion-script", "bash").output
        for noun in ["service", "app", "webhook"] {
            #expect(!script.contains("---completion \(noun) create -- positional@0"))
            #expect(script.contains("---completion \(noun) update -- positional@0"))
        }
    }
}
