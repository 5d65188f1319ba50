internal import PushAPI
internal import PushModel

/// The list of deliveries, and the pages of one delivery.
enum DeliveryScreens: ScreenGroup {
    static let routes: [ConsoleRoute] =
        [
            ConsoleRoute(.get, "/deliveries", needs: .read) { try DeliveryListPage($0).reply },
            ConsoleRoute(.get, "/deliveries/{id}", needs: .read) { try DeliveryPage($0).reply },
            ConsoleRoute(.get, "/deliveries/{id}/live", needs: .read) { visit in
                let page = try DeliveryPage(visit)
                return .fragment(page.html, isFinal: !page.isLive)
            },
        ] + DeliveryActions.routes + RecallScreen.routes + RecipientScreens.routes
        + DeliveryContentScreens.routes

    static let notices = DeliveryActions.notices + RecallScreen.notices
}
