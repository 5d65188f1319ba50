internal import ArgumentParser
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

struct DeliverySubmit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit", abstract: "Submit a delivery and print its id.",
        discussion: """
            Once the id is printed, the delivery is on disk and will be sent. A document that cannot be sent as it is \
            (unknown keys, an unknown app, a payload over the gateway's limit) ends with status 3 and is not stored.
            """)

    @Argument(help: "The delivery document, JSON; - is standard input.")
    var file: String

    @Flag(help: ArgumentHelp(
        "Wait until the delivery has ended: status 0 when it finished, 1 when it failed or was stopped.",
        discussion: "Interrupting the wait leaves the delivery running."))
    var wait = false

    @Option(help: ArgumentHelp(
        "Send to the user keys in this file, one a line, instead of the document's target.", valueName: "file"))
    var userKeys: String?

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let instance = try Instance(config)
        let name = file == "-" ? "standard input" : file
        // A little more than a document may have: the document's own check then says what to do instead.
        let bytes = try FileReader.contents(of: file, atMost: 4 * DeliveryDocument.maximumBytes)
        let listed = try userKeys.map(UserKeysFile.target)
        let document: DeliveryDocument
        do throws(WireError) {
            document = try DeliveryDocument.parse(bytes, target: listed == nil ? .document : .elsewhere)
        } catch {
            throw CommandFailure.refused(lines: error.lines.map { "\(name): \($0)" })
        }
        let store = try instance.openStore()
        let order = try DeliveryIntake(catalogue: store.catalogue, documentName: name).order(document, target: listed)
        // The key is made by the first command that needs it; a delivery must not be accepted that could not be sent.
        _ = try store.instanceKey()
        let id = try store.deliverySubmitter.submit(order, at: Clocks.moment())
        try StandardOutput.line("\(id)")
        ControlClient.nudge(storePath: instance.storePath)
        guard wait else { return }
        let ending = try DeliveryWait(in: store, of: instance).end(of: id)
        if ending != .done { throw ending }
    }
}
