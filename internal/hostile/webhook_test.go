package hostile

// webhookRows are reviews of admission and conversion webhooks.
var webhookRows = []row{}
