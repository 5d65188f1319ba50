internal import ArgumentParser
internal import FoundationEssentials

@main
struct PushPages: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushpages", abstract: "Write a program's manual pages.",
        discussion: """
            Reads from standard input what the program prints with --experimental-dump-help. Writes one page \
            for the program and one for each of its commands.
            """)

    @Option(
        help: ArgumentHelp("The folder for the pages. Created if it does not exist.", valueName: "folder"))
    var output: String

    @Option(name: .customLong("program-version"), help: "The version to state on the pages.")
    var version: String

    @Option(help: "The date of the pages in the format of mdoc, for example 'November 22, 2026'.")
    var date: String

    func run() throws {
        let input = AnyIterator { readLine(strippingNewline: false) }.joined()
        let tree: HelpTree
        do { tree = try JSONDecoder().decode(HelpTree.self, from: Data(input.utf8)) } catch {
            throw ValidationError("standard input is not the output of --experimental-dump-help: \(error)")
        }
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        let edition = ManualPage.Edition(version: version, date: date)
        for page in ManualPage.pages(of: tree, edition) {
            try Data(page.text.utf8).write(to: URL(filePath: "\(output)/\(page.name).1"))
        }
    }
}
