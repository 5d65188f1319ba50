internal import ArgumentParser
internal import FoundationEssentials

@main
struct PushPages: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushpages", abstract: "Writes a program's manual pages.",
        discussion: """
            Standard input is what the program prints with --experimental-dump-help. There is one page for it and one for \
            each of its commands.
            """)

    @Option(
        help: ArgumentHelp("The folder for the pages; it is made where it is absent.", valueName: "folder"))
    var output: String

    @Option(name: .customLong("program-version"), help: "The version that the pages name.")
    var version: String

    @Option(help: "The pages' date as mdoc has it, for instance 'November 22, 2026'.")
    var date: String

    func run() throws {
        let input = AnyIterator { readLine(strippingNewline: false) }.joined()
        let tree: HelpTree
        do { tree = try JSONDecoder().decode(HelpTree.self, from: Data(input.utf8)) } catch {
            throw ValidationError("standard input is not what --experimental-dump-help prints: \(error)")
        }
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        let edition = ManualPage.Edition(version: version, date: date)
        for page in ManualPage.pages(of: tree, edition) {
            try Data(page.text.utf8).write(to: URL(filePath: "\(output)/\(page.name).1"))
        }
    }
}
