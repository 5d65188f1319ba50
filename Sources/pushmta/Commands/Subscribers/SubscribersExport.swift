internal import ArgumentParser
internal import PushOperations

struct SubscribersExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the subscribers of an application as CSV.",
        discussion: "The format that 'subscribers import' reads; every subscription parameter has its column."
    )

    @Option(help: "The application's name.", completion: .appNames)
    var app: String

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let operations = try Operations(config)
        var output = FileWriter()
        try ExportSubscribers(app: app).perform(in: operations) { bytes in try output.append { $0 += bytes } }
        try output.finish()
    }
}
