"""French."""

from voice_hitl.speech.languages.pack import LanguagePack, phrases

FRENCH = LanguagePack(
    code="fr",
    decimal=",",
    elides=True,
    harmless=phrases(
        """pas de problème, pas de souci, pas de soucis, aucun problème, aucun souci, sans problème, sans souci, sans
            aucun problème, sans hésiter, sans hésitation, pourquoi pas, oui pourquoi pas, ça ne me dérange pas, ça me
            dérange pas, cela ne me dérange pas, ça ne me gêne pas, je n'y vois pas d'inconvénient, je n'y vois aucun
            inconvénient, je n'ai rien contre, je n'ai pas d'objection, je n'ai aucune objection, aucune objection,
            pas d'objection, aucun doute, sans aucun doute, sans doute aucun, n'hésitez pas, n'hésite pas, rien à
            redire, rien à changer, il n'y a pas de problème, il n'y a pas de souci, y a pas de souci, y a pas de
            problème"""
    ),
    unsure=phrases(
        """oui ou non, oui et non, je ne sais pas, je sais pas, sais pas, j'en sais rien, je n'en sais rien, aucune
            idée, je ne suis pas (sûr|sûre|certain|certaine), je suis pas (sûr|sûre), pas (sûr|sûre|certain|certaine),
            peut-être, possible, c'est possible, éventuellement, probablement, sans doute, ça dépend, cela dépend, je
            crois, je crois que oui, je pense que oui, je suppose, j'imagine, on verra, à voir, il faut voir, je vais
            réfléchir, je dois réfléchir, laissez-moi réfléchir, laisse-moi réfléchir, j'hésite, bof, à peine, dites
            oui, dis oui, un oui, qui sait"""
    ),
    no=phrases(
        """non, nan, nenni, non merci, non non, pas du tout, absolument pas, certainement pas, sûrement pas, surtout
            pas, jamais, jamais de la vie, pas maintenant, pas tout de suite, pas encore, pas pour le moment, pas pour
            l'instant, pas aujourd'hui, pas ce soir, plutôt pas, mieux vaut pas, il vaut mieux pas, je préfère pas, je
            ne préfère pas, je préfère que non, pas question, hors de question, pas nécessaire, ce n'est pas
            nécessaire, c'est pas nécessaire, pas besoin, pas la peine, ce n'est pas la peine, c'est pas la peine,
            inutile, pas intéressé, pas intéressée, ce n'est pas (ça|cela|correct|exact|bon|juste|vrai|bien), c'est
            pas (ça|cela|correct|exact|bon|juste|vrai), pas correct, pas exact, pas d'accord, je ne suis pas d'accord,
            c'est faux, faux, incorrect, inexact, je ne (veux|souhaite|désire) pas, je (veux|souhaite) pas, j'en veux
            pas, je n'en veux pas, je ne crois pas, je crois pas, je ne pense pas, je pense pas, je refuse, refusé,
            refuser, rejeté, je décline, décliner, laissez tomber, laisse tomber, oubliez, oublie, oubliez ça, oublie
            ça, ça ira, ça ira merci, c'est bon merci, peut-être plus tard, plus tard peut-être, une autre fois, une
            prochaine fois, peut-être une autre fois, ne (le |la |les
            |)(faites|fais|lancez|lance|réservez|envoyez|envoie) pas, ne faites pas ça, ne fais pas ça, faites pas ça,
            fais pas ça, bien sûr que non, évidemment que non, négatif, arrêtez ça, arrête ça"""
    ),
    forbids=phrases("pas, ne, n', surtout ne, s'il vous plaît ne"),
    holds=phrases(
        """attendez, attends, attendre, une minute, un instant, un moment, une seconde, deux secondes, minute, pas si
            vite, doucement, plus tard, tout à l'heure, après, ensuite, bientôt, la prochaine fois, une autre fois,
            pause, patientez, patience, on verra plus tard"""
    ),
    changes=phrases(
        """mais, cependant, toutefois, pourtant, par contre, en revanche, sauf, excepté, à part, hormis, plutôt, au
            lieu, au lieu de, à la place, en fait, finalement, changer, change, changez, changement, corriger,
            correction, corrigez, autre, autres, un autre, une autre, d'autre, ailleurs, différent, différente, je
            voulais dire, je veux dire, erreur, je me suis trompé, je me suis trompée, devrait être, désolé, désolée,
            pardon, oups, malheureusement, presque, en partie, trop (cher|tard|tôt|loin|long|grand|petit|court|fort),
            le contraire, inverse, l'inverse, d'abord, entre-temps, en attendant, tout compte fait, réflexion faite,
            quoique, même si, je préfère, je préférerais, problème, souci, dommage"""
    ),
    conditions=phrases(
        """si, s'il, s'ils, à condition, à moins, pourvu, dès que, tant que, seulement si, uniquement si, ou, avant,
            jusqu'à, jusqu'au, plus, moins, au moins, au plus, seulement, que si, quand même, quand, lorsque"""
    ),
    negations=phrases(
        """pas, ne, n', rien, aucun, aucune, ni, nul, nulle part, jamais, guère, mauvais, mauvaise, mal, pire,
            horrible, impossible, contre, interdit, déteste"""
    ),
    halts=phrases(
        """arrête, arrêtez, arrêter, stop, stoppe, stoppez, annule, annulez, annuler, annulation, supprime,
            supprimez, supprimer, efface, effacez, effacer, termine, terminez, ferme, fermez, quitte, quittez,
            révoquez"""
    ),
    alters=phrases(
        """modifie, modifiez, modifier, remplace, remplacez, remplacer, ajoute, ajoutez, ajouter, enlève, enlevez,
            enlever, retire, retirez, retirer, déplace, déplacez, déplacer, échange, échangez"""
    ),
    alone=phrases("si"),
    yes=phrases(
        """oui, ouais, ouaip, mouais oui, oui oui, mais oui, ah oui, oui bien sûr, oui volontiers, oui s'il vous
            plaît, oui s'il te plaît, si si, mais si, bien sûr, bien sûr que oui, évidemment, naturellement,
            certainement, absolument, tout à fait, volontiers, avec plaisir, assurément, carrément, bien entendu,
            affirmatif, sans faute, et comment, grave, yes, pour sûr"""
    ),
    clauses=phrases(
        """c'est ça, c'est bien ça, c'est le cas, (réservez|réserve|faites|fais|achetez|achète|prenez|prends)
            (le|la|les), je veux bien, je le veux, je la veux, (je|on|nous) (le|la) (prends|prend|prenons), vous
            pouvez, tu peux, tout est (bon|correct|parfait|juste), tout va bien, je confirme"""
    ),
    unfinished=phrases("un, une, des, et, ou, mais, à, de, du, au, aux, avec, chez, dans, mon, ma, mes, que"),
    goes=phrases(
        """allez-y, vas-y, allons-y, on y va, c'est parti, faites, faites-le, fais-le, faites ça, fais ça, faites
            donc, faisons ça, faisons comme ça, faites comme ça, continuez, continue, procédez, poursuivez, lancez,
            lance, je confirme, je le confirme, je vous confirme, confirmé, confirmez, confirme, je valide, validé,
            validez, valide, j'accepte, accepté, acceptez, j'approuve, approuvé, approuvez, je suis d'accord, suis
            d'accord, autorisé, j'autorise, entendu, marché conclu, essayez, essaie, essayons, je suis pour"""
    ),
    agree=phrases(
        """c'est bon, c'est bien, c'est très bien, c'est parfait, c'est correct, c'est exact, c'est juste, c'est ça,
            c'est cela, c'est tout à fait ça, c'est bien ça, c'est bien cela, c'est noté, très bien, fort bien,
            parfait, parfaitement, super, génial, excellent, formidable, magnifique, nickel, impeccable, top, cool,
            chouette, idéal, merveilleux, exact, exactement, correct, juste, précisément, effectivement, en effet, ça
            me va, ça me convient, cela me convient, ça convient, me convient, ça va, tout va bien, tout est bon, tout
            est correct, tout est exact, ça marche, ça roule, ça me semble (bien|bon|parfait|correct), ça semble
            (bien|bon|parfait|correct), ça a l'air (bien|bon|parfait|correct), vous avez raison, tu as raison, ce
            serait (bien|parfait|super|génial|gentil), ça serait (bien|parfait|super|génial), ça me plaît, j'aime
            bien, bonne idée, bon choix, c'est ce que je (veux|voulais|souhaite|cherche), ce que je
            (veux|voulais|souhaite), je le prends, je la prends, je les prends, je prends, ça ira très bien, d'accord
            avec ça, satisfait, satisfaite, vrai, c'est vrai"""
    ),
    acknowledges=phrases("okay, ok, d'accord, d'acc, dac, entendu, compris, j'ai compris, bien reçu, reçu, bien"),
    closings=phrases(
        """c'est tout, ce sera tout, ça sera tout, c'est tout ce qu'il me faut, c'est tout pour moi, c'est tout pour
            aujourd'hui, rien d'autre, au revoir, bonne journée, bonne soirée, à bientôt, salut, j'ai fini, j'ai
            terminé"""
    ),
    fillers=phrases(
        """plaît, vous plaît, euh, heu, hum, hmm, mmh, ben, eh ben, bah, ah, oh, alors, donc, eh bien, enfin, voilà,
            tiens, s'il vous plaît, s'il te plaît, svp, merci, merci beaucoup, merci bien, merci à vous, grand merci,
            je vous remercie, je vous en prie, je t'en prie, bonjour, bonsoir, allô, monsieur, madame, mademoiselle,
            maintenant, tout de suite, immédiatement, ici, là, vraiment, très, bien bien, aussi, également,
            simplement, juste, pour moi, pour nous, à moi, chez moi, avec moi, si possible, si vous voulez, si tu
            veux, si vous pouvez, si tu peux, si vous le souhaitez, pas de panique, pas de presse, par ailleurs, au
            fait, mon ami, donc voilà, franchement, bon"""
    ),
    tells=phrases(
        """dites-moi, dis-moi, pouvez-vous me dire, pourriez-vous me dire, peux-tu me dire, tu peux me dire, vous
            pouvez me dire, je (voudrais|veux|souhaite|souhaiterais|aimerais) (savoir|connaître), j'aimerais
            (savoir|connaître), je me demande, savez-vous, sais-tu, avez-vous, as-tu, vous avez, donnez-moi,
            donne-moi, montrez-moi, montre-moi, pouvez-vous me donner, pourriez-vous me donner, puis-je avoir, puis-je
            savoir, puis-je connaître, est-ce que je peux avoir"""
    ),
    asks=phrases(
        """qu'est-ce que, qu'est-ce qui, qu'est-ce, quoi, où, comment, combien, combien de, combien de temps,
            pourquoi, quel, quelle, quels, quelles, lequel, laquelle, à quelle heure, d'où, c'est où, c'est quoi,
            c'est combien, c'est quand, qui est, qui sera, quand est, quand arrive, quand sera, est-ce que c'est,
            est-ce qu'il, est-ce qu'elle, est-ce qu'ils, est-ce qu'on, est-ce que je, est-ce que le, est-ce que la,
            est-ce que les, est-ce cher"""
    ),
    inversions=phrases(
        """est-il, est-elle, sont-ils, sont-elles, y a-t-il, a-t-il, a-t-elle, ont-ils, puis-je, peut-on,
            pouvons-nous, dois-je, devons-nous, faut-il, suis-je, peux-je, doit-on"""
    ),
    requests=phrases("pouvez, pourriez, peux, pourrais, voulez, voudriez"),
    fetches=phrases(
        """donnez, donne, donner, besoin, voudrais, veux, souhaite, aimerais, faut, envoyez, envoie, dites, dis,
            dire, avoir, connaître, savoir, trouver, trouvez"""
    ),
    facts=phrases(
        """adresse, téléphone, numéro, prix, coût, tarif, tarifs, note, notes, avis, lieu, endroit, durée, horaires,
            genre, nom, site, distance, météo, arrêt, total, frais, contact"""
    ),
    kinds={
        "day": phrases(
            """lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche, janvier, février, mars, avril, mai, juin,
                juillet, août, septembre, octobre, novembre, décembre, aujourd'hui, demain, après-demain, hier, ce
                soir, week-end, la semaine prochaine, cette semaine, noël, pâques"""
        ),
        "time": phrases(
            """midi, minuit, matin, matinée, après-midi, soir, soirée, et demie, et quart, moins le quart, plus tôt,
                heures du soir, heures du matin, du matin, du soir, de l'après-midi"""
        ),
        "number": phrases(
            """moitié, douzaine, double, plusieurs, quelques, cent, mille, million, seul, seule, simple"""
        ),
        "device": phrases(
            """télé, télévision, tv, téléviseur, cuisine, chambre à coucher, salon, salle à manger, salle de bain,
                garage, cave, terrasse, haut-parleur, haut-parleurs, enceinte, enceintes, casque, ordinateur,
                tablette, appareil"""
        ),
        "name": phrases("à moi-même, à lui, à elle, à eux, à nous-mêmes"),
        "extra": phrases(
            """sous-titres, sous-titre, économique, classe affaires, première classe, seconde classe, premium, luxe,
                standard, privé, partagé, intérieur, extérieur, fenêtre, hublot, couloir, végétarien, végétarienne,
                végan, aller simple, aller-retour, fumeur, non-fumeur, à emporter"""
        ),
    },
    things=phrases(
        """film, films, chanson, musique, morceau, ticket, tickets, billet, billets, place, places, table, tables,
            réservation, rendez-vous, chambre, hôtel, maison, appartement, voiture, taxi, course, trajet, bus, vol,
            train, événement, concert, match, restaurant, commande, paiement, virement, transfert, achat, visite,
            voyage, séjour, réunion, appel"""
    ),
    deeds=phrases(
        """réserver, réserve, réservez, acheter, achète, achetez, commander, commande, commandez, jouer, joue, jouez,
            louer, loue, louez, prendre, prends, prenez, mettre, mets, mettez, lancer, démarrer, envoyer, envoie,
            envoyez, virer, transférer, transférez, payer, payez, appeler, appelez, planifier"""
    ),
    read_backs=phrases(
        """confirmer, confirmez, confirme, confirmation, correct, exact, détails, vérifier, vérifiez, bon"""
    ),
    units=phrases(
        """personne, personnes, gens, adultes, enfants, jour, jours, nuit, nuits, semaine, semaines, mois, an, ans,
            heure, heures, h, minute, minutes, euro, euros, dollar, dollars, centimes, pour cent"""
    ),
    clock=phrases("heure, heures, h"),
    plain=phrases(
        """je, j', tu, il, elle, on, nous, vous, ils, elles, me, m', te, t', se, le, la, les, l', lui, leur, moi,
            toi, eux, mon, ma, mes, ton, ta, tes, son, sa, ses, notre, nos, votre, vos, ce, c', cet, cette, ces, ceci,
            cela, ça, celui-là, celle-là, celui-ci, celle-ci, un, une, des, du, de, d', à, au, aux, en, dans, sur,
            pour, par, avec, chez, et, y, parce que, car, comme, ainsi, est, suis, es, sommes, êtes, sont, était,
            serait, sera, être, ai, as, a, avons, avez, ont, avoir, aurais, voudrais, voudrait, veux, veut, voulons,
            voulez, souhaite, souhaiterais, aimerais, peux, peut, pouvez, pourriez, pourrais, dois, doit, faut, vais,
            va, allons, allez, faire, fait, besoin, j'ai besoin de, il me faut, me semble, semble, air, content,
            contente, heureux, prêt, prête, comme ça, comme prévu, comme convenu, comme demandé, tel quel, les
            détails, détails, les informations, toutes les informations, que vous, qu'il, que, qu'"""
    ),
    pointers=phrases("ce, cet, cette, ces"),
    halted=phrases("ça, cela, tout, tout ça, maintenant, immédiatement, merci, le, la, les"),
    without=phrases("sans"),
    spans=phrases("jusqu'à, jusqu'au, après, avant, dès"),
    binders=phrases(
        """de, du, d', à, au, aux, en, pour, vers, dans, sur, chez, avec, par, depuis, jusqu'à, avant, après"""
    ),
    opposites=phrases("avant après"),
    time_leads=phrases("à, vers"),
    day_leads=phrases("le"),
    articles=phrases("le, la, les, l', un, une, des, mon, ma, mes, votre, vos, notre, ton, ta, tes"),
    ones=phrases("un, une"),
    months=phrases(
        """janvier, février, mars, avril, mai, juin, juillet, août, septembre, octobre, novembre, décembre"""
    ),
    synonyms=phrases(
        """réserver réserve réservez réservation acheter achète achetez commander commande prendre prenez prends
            rendez-vous, ticket tickets billet billets place places, film vidéo, chanson musique morceau titre, jouer
            joue jouez lancer lance mettre mettez mets écouter regarder, envoyer envoie envoyez virer virement
            transférer transférez transfert payer, chambre hôtel logement, voiture auto taxi"""
    ),
    rivals=(phrases("bus autobus car, train, vol avion, taxi"),),
    signs={"$": "dollars", "€": "euros", "£": "livres", "%": "pourcent"},
    endings=phrases("ations, ation, ements, ement, ez, er, es, s, e"),
    number_joints=phrases("et, virgule"),
    ordinal_marks=phrases("er, ère, ème, e, nd, nde, eme, ere"),
    repeats={"double": 2, "triple": 3},
    minus=phrases("moins"),
    halves=phrases("et demi, et demie, virgule cinq"),
    placers=phrases("numéro, option, choix"),
    last=phrases("dernier, dernière, le dernier, la dernière"),
    both=phrases("les deux, tous les deux, toutes les deux"),
    every=phrases("tous, toutes, tout, tous les trois, toutes les trois, tous les quatre, chacun, chacune"),
    none=phrases(
        """aucun, aucune, aucun des deux, aucune des deux, aucun d'eux, aucune d'elles, aucun d'entre eux, ni l'un ni
            l'autre, rien, rien de tout ça, rien de tout cela"""
    ),
    apart_from=phrases("sauf, excepté, à part, hormis, pas, sans, tout sauf, surtout pas, mais pas"),
    corrections=phrases(
        """non, pardon, désolé, désolée, je veux dire, je voulais dire, plutôt, en fait, finalement, attendez,
            correction"""
    ),
    joins=phrases("et, plus, aussi, ainsi que, avec, puis"),
    either=phrases("ou, soit, ou bien"),
    leave_it=phrases(
        """peu importe, n'importe, n'importe lequel, n'importe laquelle, n'importe quoi, comme vous voulez, comme tu
            veux, à vous de choisir, choisissez, choisis, c'est vous qui voyez, ça m'est égal, cela m'est égal, le
            moins cher, la moins chère, au moins cher, je n'ai pas de préférence, pas de préférence, décidez,
            surprenez-moi"""
    ),
    leads=phrases(
        """pouvez-vous, pourriez-vous, peux-tu, tu peux, vous pouvez, je voudrais, je veux, j'aimerais, je souhaite,
            puis-je, est-ce que je peux, est-ce que vous pouvez, vous pourriez"""
    ),
    commands={
        "repeat": phrases(
            """répétez, répète, répéter, répétez s'il vous plaît, pouvez-vous répéter, répéter la question, répétez
                la question, encore une fois, redites, redites-moi, comment, pardon, quoi, qu'avez-vous dit, vous avez
                dit quoi, quelle était la question, c'était quoi la question, je n'ai pas (entendu|compris|saisi),
                j'ai pas (entendu|compris), plaît-il, hein"""
        ),
        "wait": phrases(
            """attendez, attends, attendez une minute, attends une minute, attendez un instant, attendez un peu, un
                instant, un moment, une minute, une seconde, deux secondes, patientez, laissez-moi réfléchir,
                laisse-moi réfléchir, je réfléchis, ne quittez pas"""
        ),
        "options": phrases(
            """options, les options, quelles sont les options, quelles sont mes options, quels sont les choix, quels
                sont mes choix, qu'est-ce que je peux dire, que puis-je dire, que puis-je choisir, qu'est-ce qu'il y
                a, lesquels, lesquelles, aide, de l'aide"""
        ),
        "operator": phrases(
            """opérateur, opératrice, un opérateur, un conseiller, une conseillère, conseiller, un agent, agent, un
                humain, humain, une personne, une vraie personne, parler à (quelqu'un|un conseiller|un humain|un
                agent|une personne|un opérateur), parler avec (quelqu'un|un conseiller|un humain|un agent|un
                opérateur), service client, passez-moi quelqu'un, passez-moi un conseiller, transférez-moi"""
        ),
        "never_mind": phrases(
            """laissez tomber, laisse tomber, oubliez, oublie, tant pis, ce n'est pas grave, c'est pas grave, passez
                cette question, passer la question"""
        ),
    },
    prompts={
        "go_ahead": "Est-ce que je le fais ?",
        "no_input": "Je ne vous ai pas entendu.",
        "no_match": "Je n'ai pas compris cela.",
        "say_yes_or_no": "Dites oui ou non, s'il vous plaît.",
        "confirm_keys": "Ou appuyez sur {yes} pour oui et sur {no} pour non, s'il vous plaît.",
        "option": "{number} : {label}.",
        "choose": "Dites-moi lequel, s'il vous plaît.",
        "choose_several": "Dites-moi lesquels, s'il vous plaît.",
        "say_option": "Dites lequel, ou son numéro, s'il vous plaît.",
        "choice_keys": "Ou appuyez sur son numéro au clavier, s'il vous plaît.",
        "several_keys": "Ou appuyez sur leurs numéros puis sur dièse, s'il vous plaît.",
        "say_number": "Dites seulement le nombre, s'il vous plaît.",
        "say_digits": "Dites les {count} chiffres, chiffre par chiffre, s'il vous plaît.",
        "number_keys": "Ou tapez-le puis appuyez sur dièse, s'il vous plaît.",
        "digits_keys": "Ou tapez-le au clavier, s'il vous plaît.",
        "keys_only": "Ne le dites pas à voix haute : tapez-le au clavier, s'il vous plaît.",
        "say_text": "Dites-le avec vos mots, s'il vous plaît.",
        "at_least": "Il faut au moins {minimum}, s'il vous plaît.",
        "at_most": "Il faut au plus {maximum}, s'il vous plaît.",
        "between_bounds": "Il faut entre {minimum} et {maximum}, s'il vous plaît.",
        "which": "{labels} : dites-moi lequel, s'il vous plaît.",
        "read_back": "J'ai entendu : {value}.",
        "take_it": "Est-ce que je le note ainsi ?",
        "second_yes": "Par sécurité, encore une fois : est-ce que je le fais vraiment, à votre avis ?",
        "tail": "Que dites-vous ?",
        "item": "{name} : {value}.",
        "true": "oui",
        "false": "non",
        "nothing": "rien",
        "and": "{first} et {last}",
        "date": "le {day} {month}",
    },
)
