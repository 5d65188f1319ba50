internal import ArgumentParser
internal import PushAPI
internal import PushModel

struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service", abstract: "Manage information services, to which deliveries are addressed.",
        subcommands: [
            command(CreateService.self), command(ListServices.self),
            command(ShowService.self), ServiceStats.self, command(UpdateService.self),
            command(DeleteService.self),
        ])
}

extension CreateService: CommandUseCase {
    static let form = CommandForm(
        discussion: "Example: pushmta service create shop --label \"The shop\" --frequency-cap \"3 in 7d\"")
    static func lines(_ service: ServiceView) -> [String] { ["service \(service.name) created"] }
}

extension ListServices: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta service list")
    static func lines(_ services: [ServiceView]) -> [String] {
        var table = TextTable(["NAME", "LABEL", "FREQUENCY CAP", "APPS"])
        for service in services {
            let cap = service.frequencyCap ?? ""
            table.append([service.name, service.label, cap, service.apps.joined(separator: ", ")])
        }
        return table.lines
    }
}

extension ShowService: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta service show shop")
}

extension UpdateService: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            The name cannot be changed. A new frequency cap applies to messages that are prepared after the \
            change.

            Example: pushmta service update shop --frequency-cap none
            """)
    static func lines(_ service: ServiceView) -> [String] { ["service \(service.name) updated"] }
}

extension DeleteService: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            Logs of past deliveries are kept.

            Example: pushmta service delete shop
            """)
    static func lines(_ deleted: Answer) -> [String] { ["service \(deleted.name) deleted"] }
}

struct ServiceStats: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: ShowServiceStatistics.operation.summary,
        discussion: """
            Subscribers are counted by app and state, by device, and by the day of the first registration \
            (in UTC, current subscribers only). Counting a million subscribers takes seconds.

            Example: pushmta service stats shop
            """)

    @OptionGroup var members: MemberArguments<ShowServiceStatistics>
    @OptionGroup var format: StatisticsFormat
    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let statistics = try members.request().carryOut(by: Operations(config))
        try format.print(statistics, csv: statistics.csv, statistics.lines)
    }
}

extension ShowServiceStatistics: CommandUseCase {}
