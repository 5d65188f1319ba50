import Foundation
import FoundationXML
import TestSupport
import Testing

/// Runs the examples of all pages.
struct DocumentExampleTests {
    @Test(arguments: DocumentPage.all.filter { !$0.session.isEmpty })
    func `the examples on a page work, and print what the page shows`(page: DocumentPage) async throws {
        let workspace = try Workspace(configuration: nil)
        let port = try PlainHTTP.unusedPort()
        let session = page.with(port: port).session
        try workspace.write(Self.ending + session.script, to: "examples.sh")
        let programs = URL(filePath: try BuiltProgram().path).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let bash = try RunningCommand(
            program: "/bin/bash", arguments: ["-euo", "pipefail", "examples.sh"], folder: workspace.folder,
            input: "", output: nil,
            environment: ["PATH=\(programs):\(path)", "HOME=\(workspace.path(""))", "LC_ALL=C.UTF-8"])
        let finished = try await bash.finished()
        #expect(finished.status == 0, "\(page.path): \(finished.output)\n\(finished.errors)")
        let differences = session.differences(in: finished.output)
        #expect(differences.isEmpty, "\(page.path): \(differences.joined(separator: "\n"))")
    }

    /// Ends the services and background processes of a page, however the page's script ends.
    private static let ending = """
        trap '
            find "$HOME" -name serverConf.xml -exec pushmta stop --config {} ";" >/dev/null 2>&1 || true
            kill $(jobs -p) 2>/dev/null || true
        ' EXIT
        # The instance of a page is the one of its working directory.
        unset PUSHMTA_CONFIG

        """

    @Test(arguments: DocumentPage.all)
    func `each block has a known language and is well-formed in this language`(page: DocumentPage)
        async throws
    {
        let workspace = try Workspace(configuration: nil)
        for block in page.blocks {
            let place = "\(page.path):\(block.line)"
            #expect(block.obstacle.isEmpty || DocumentPage.obstacles.contains(block.obstacle), "\(place)")
            switch block.language {
            case "json": #expect(throws: Never.self, "\(place)") { try Self.parse(json: block.text) }
            case "xml":
                #expect(XMLParser(data: Data("<page>\(block.text)</page>".utf8)).parse(), "\(place)")
            case "python":
                let python = "/usr/bin/python3"
                guard InstalledProgram.isThere(python, debianPackage: "python3") else { continue }
                try workspace.write(block.text, to: "example.py")
                let checked = try await Self.check(python, ["-m", "py_compile", "example.py"], workspace)
                #expect(checked.status == 0, "\(place): \(checked.errors)")
            case "sh":
                try workspace.write(block.text, to: "example.sh")
                let checked = try await Self.check("/bin/bash", ["-n", "example.sh"], workspace)
                #expect(checked.status == 0, "\(place): \(checked.errors)")
            // Swift samples are compiled by AppSampleTests; Ruby is another product's.
            case "console", "swift", "kotlin", "objc", "ruby", "yaml", "text": break
            default: Issue.record("\(place): the language is '\(block.language)'")
            }
        }
    }

    private static func check(
        _ program: String, _ arguments: [String], _ workspace: Workspace
    ) async throws -> Finished {
        try await RunningCommand(
            program: program, arguments: arguments, folder: workspace.folder, input: "", output: nil
        ).finished()
    }

    /// Parses a single JSON value, or one value per line.
    private static func parse(json text: String) throws {
        let isOne =
            (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
        guard !isOne else { return }
        for line in text.split(separator: "\n") {
            _ = try JSONSerialization.jsonObject(with: Data(line.utf8), options: .fragmentsAllowed)
        }
    }

    @Test func `commands in blocks that no test can run exist, with the options that they use`() async throws
    {
        let help = try await Workspace(configuration: nil).run("--experimental-dump-help")
        let root = try #require((try help.json() as? [String: Any])?["command"] as? [String: Any])
        var checked = 0
        for page in DocumentPage.all {
            for block in page.blocks where block.language == "sh" && !block.obstacle.isEmpty {
                let text = block.text.replacing("\\\n", with: " ")
                for use in text.matches(
                    of: /(?m)(?:^|[;&|(]) *(?:sudo -u \w+ +)?pushmta(?<words>(?: +[^|;&<>)\n#]+))/)
                {
                    checked += 1
                    let words = use.output.words.split(separator: " ").map(String.init)
                    let fault = Self.fault(of: words, in: root)
                    #expect(fault == nil, "\(page.path):\(block.line): pushmta \(words): \(fault ?? "")")
                }
            }
        }
        #expect(checked > 0)
    }

    /// Returns what is wrong with the words after `pushmta`: an unknown command or option.
    private static func fault(of words: [String], in root: [String: Any]) -> String? {
        var command = root
        var options = Self.options(of: root)
        for word in words {
            if word.hasPrefix("--") {
                let name = String(word.dropFirst(2).prefix { $0 != "=" })
                guard options.contains(name) else { return "no option --\(name)" }
            } else if let below = command["subcommands"] as? [[String: Any]], !below.isEmpty {
                guard let next = below.first(where: { $0["commandName"] as? String == word }) else {
                    // An option of the root may have this value: pushmta --config FILE status.
                    if words.first?.hasPrefix("--") == true { continue }
                    return "no command \(word)"
                }
                command = next
                options.formUnion(Self.options(of: next))
            }
        }
        return nil
    }

    private static func options(of command: [String: Any]) -> Set<String> {
        let arguments = command["arguments"] as? [[String: Any]] ?? []
        return Set(
            arguments.flatMap { $0["names"] as? [[String: Any]] ?? [] }.compactMap { $0["name"] as? String }
                + ["help", "version"])
    }

    @Test func `output is compared with a pattern that may contain omissions`() {
        #expect(DocumentSession.matches("id 1\nsent 5\n", "id 1\nsent 5"))
        #expect(DocumentSession.matches("id 17\nsent 5\n", "id …\nsent 5"))
        #expect(DocumentSession.matches("a\nb\nc\n", "a\n…\nc"))
        #expect(DocumentSession.matches("a\nc", "a\n…\nc"))
        #expect(DocumentSession.matches("", ""))
        #expect(!DocumentSession.matches("a\nb\n", "a"))
        #expect(!DocumentSession.matches("a.b\n", "a*b"))
        #expect(!DocumentSession.matches("a\nb\nd\n", "a\n…\nc"))
    }

    @Test func `a session consists of commands, each with its output`() {
        let page = DocumentPage(
            path: "A.md", text: "```console\n$ echo a \\\n  b\na b\n$ false\n```\n```sh apple\nnone\n```")
        #expect(page.session.expectations.map(\.command) == ["echo a \\\n  b", "false"])
        #expect(page.session.expectations.map(\.output) == ["a b", ""])
        #expect(page.session.differences(in: "x\u{1E}0\na b\n\u{1F}") == ["line 1: 'false' was not reached"])
    }
}

extension DocumentPage {
    /// Returns the page with another port for the web module, because 8080 may be in use.
    fileprivate func with(port: Int) -> DocumentPage {
        let changed = text.replacing("8080", with: "\(port)")
            .replacing(/pushmta init(?<rest>[ \n;&])/) { "pushmta init --port \(port)\($0.output.rest)" }
        return DocumentPage(path: path, text: changed)
    }
}
